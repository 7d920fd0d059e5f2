import { Type } from 'typebox'
import { FieldOf, List, Optional, StrictObject } from './schema-builders.ts'

/** One entry in the `details` of an error (docs/spec/api.md#error-body). */
const ErrorDetail = StrictObject(
  {
    field: Type.String({
      description:
        'The path of a field, such as `assignee_ids[2]`, or the name of a parameter or header. ' +
        'Empty for the whole body.',
      examples: ['title'],
    }),
    code: Type.String({
      description: 'What is wrong with the field, for programs. More codes may be added.',
      examples: ['required'],
    }),
    message: Type.String({
      description: 'What is wrong and what is accepted, for people. The text may change.',
    }),
    resource_id: Optional(
      Type.String({
        description:
          'The id of the record that the request conflicts with, such as the tag that has the name. ' +
          'Absent if there is none, or if you cannot see it.',
      }),
    ),
  },
  { title: 'ApiErrorDetail', description: 'One field, parameter or header that is wrong.' },
)

/** What every error has. */
export const ERROR_FIELDS = {
  type: Type.String({
    description: 'The class of the error, which follows from the status.',
    examples: ['validation_failed'],
  }),
  code: Type.String({
    description: 'What is wrong, for programs. More codes may be added.',
    examples: ['validation_failed'],
  }),
  message: Type.String({
    description: 'What is wrong, for people and in English. The text may change.',
  }),
  details: List(ErrorDetail, {
    description: 'All fields, parameters or headers that are wrong. Often empty.',
  }),
}

/** The body of every error reply. */
export const ErrorEnvelope = StrictObject(
  {
    error: FieldOf(
      StrictObject(
        {
          ...ERROR_FIELDS,
          request_id: Type.String({
            description: 'Identifies the request in the logs of the server.',
            examples: ['req_01k2m3n4p5q6r7s8t9v0w1x2y3'],
          }),
          doc_url: Type.String({ description: 'The address of the page that explains `code`.' }),
          required_scope: Optional(
            Type.String({
              description:
                'The scope that the credential lacks. Only with the code `insufficient_scope`.',
              examples: ['tasks:write'],
            }),
          ),
        },
        { title: 'ApiErrorBody', description: 'What is wrong with a request.' },
      ),
      'What is wrong with the request.',
    ),
  },
  { title: 'ApiError', description: 'The body of every error reply.' },
)
