import { Type } from 'typebox'
import { Id, OneOf, Optional, type Static, Whole } from './schema.ts'

/** What notices are about. `person` is an entry in the people list of a project. */
export const NOUNS = [
  'task',
  'comment',
  'attachment',
  'time_entry',
  'tag',
  'view',
  'template',
  'project',
  'person',
  'member',
  'workspace',
  'webhook',
  'api_key',
  'application',
  'grant',
  'invitation',
  'notification',
] as const
export type Noun = (typeof NOUNS)[number]

/**
 * That a record has changed, and by which operation: what to read again, never what it holds. `seq`
 * rises with each notice of the workspace; those about what the person does not see are left out.
 */
export type Notice = Static<typeof Notice>
export const Notice = Type.Object(
  {
    seq: Whole(1, Number.MAX_SAFE_INTEGER),
    noun: OneOf(NOUNS),
    id: Type.String(),
    op: OneOf(['create', 'update', 'delete']),
    number: Optional(Whole(1, Number.MAX_SAFE_INTEGER, { description: 'Of a task.' })),
    project_id: Optional(Id('prj')),
    task_id: Optional(
      Id('tsk', { description: 'The task that it belongs to, whose counts change with it.' }),
    ),
    version: Optional(
      Whole(1, Number.MAX_SAFE_INTEGER, {
        description: 'Of a task whose own fields changed; absent where only derived ones did.',
      }),
    ),
    revision: Optional(Type.String({ description: 'The `updated_at` of any other record.' })),
    operation_id: Id('opr'),
    actor_id: Type.Union([Id('usr'), Type.Null()]),
  },
  { title: 'Notice', additionalProperties: false },
)
