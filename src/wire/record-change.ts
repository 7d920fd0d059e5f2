import { Type } from 'typebox'
import { Id, Integer, Optional, type Static, StringEnum } from './schema-builders.ts'

/** The kinds of record that changes name. `person` is an entry in the people list of a project. */
export const RECORD_NOUNS = [
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
export type RecordNoun = (typeof RECORD_NOUNS)[number]

/**
 * A record that has changed, and the operation that did it. It tells a client what to reload and
 * never contains the record. `seq` rises with each change of the workspace; changes of records that
 * the user may not see are left out.
 */
export type RecordChange = Static<typeof RecordChange>
export const RecordChange = Type.Object(
  {
    seq: Integer(1, Number.MAX_SAFE_INTEGER),
    noun: StringEnum(RECORD_NOUNS),
    id: Type.String(),
    op: StringEnum(['create', 'update', 'delete']),
    number: Optional(Integer(1, Number.MAX_SAFE_INTEGER, { description: 'Of a task.' })),
    project_id: Optional(Id('prj')),
    task_id: Optional(
      Id('tsk', { description: 'The task that it belongs to, whose counts change with it.' }),
    ),
    version: Optional(
      Integer(1, Number.MAX_SAFE_INTEGER, {
        description: 'Of a task whose own fields changed; absent where only derived ones did.',
      }),
    ),
    revision: Optional(Type.String({ description: 'The `updated_at` of any other record.' })),
    operation_id: Id('opr'),
    actor_id: Type.Union([Id('usr'), Type.Null()]),
  },
  { title: 'Notice', additionalProperties: false },
)
