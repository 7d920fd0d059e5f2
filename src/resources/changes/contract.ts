import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  CommaSeparated,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import { RECORD_TYPES } from '#wire/scopes.ts'

const ChangedType = StringEnum(RECORD_TYPES, {
  title: 'ChangeType',
  'x-open': true,
  description: 'The type of a record. More types may be added.',
})
const RecordIdText = Type.String({ description: 'The id of the record.' })
const ProjectOfRecord = Nullable(Id('prj'), {
  description: 'The project of the record. Null for a member.',
})

/** What a copy of the records does, in the order of the changes (docs/spec/api.md#changes). */
export const Change = Type.Object(
  {
    op: StringEnum(['put', 'delete', 'reset'], {
      description:
        '`put`: keep `record` under `type` and `id`, in place of what you have. `delete`: forget that record, ' +
        'and of a task also the comments, time entries and attachments with its `task_id`. `reset`: forget that ' +
        'project and every record with its `project_id`; what still exists and may be read follows as `put`. ' +
        'A copy need not have what it is to forget.',
    }),
    type: ChangedType,
    id: RecordIdText,
    project_id: Optional(ProjectOfRecord),
    record: Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Of a `put`: the record as its single read tells it to you.',
      }),
    ),
  },
  { title: 'Change', description: 'One step that brings a copy up to date.' },
)

export type ChangePage = Static<typeof ChangePage>
export const ChangePage = StrictObject(
  {
    data: List(Change, { description: 'The changes after `after`, in order.' }),
    position: Type.String({
      description: 'Where this reply ends. Send it as `after` to get what follows.',
    }),
    has_more: Type.Boolean({
      description: 'Whether more follows at once. If not, your copy is exact now.',
    }),
  },
  { title: 'ChangePage', description: 'Changes, and the position after them.' },
)

export const listChanges = endpoint({
  method: 'GET',
  path: '/api/v1/changes',
  scope: 'any',
  limit: 'workspace',
  tag: 'Changes',
  operationId: 'listChanges',
  summary: 'List changes',
  description:
    'Tells what a program needs to hold an exact copy of what it may read: first all records, and ' +
    'then only what changed. Apply the changes of each reply in order, keep its `position` with ' +
    'your copy, and send it as `after`. Whenever `has_more` is false, the copy equals what the lists ' +
    'and single reads tell this credential (except `last_active_at` of members).\n\n' +
    '410 `position_expired` means that the position is too old or of another database: ' +
    'begin again without `after`.\n\n' +
    'With `Accept: text/event-stream` the changes come as server-sent events: `change` with the position ' +
    'as its id, `caught_up` with the position each time that there is no more, and `end` with an ' +
    'error when your rights end. `Last-Event-ID` stands for `after`.',
  query: StrictObject({
    after: Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description:
          'The `position` of the last reply. Absent: from the beginning. `now`: only the present position.',
      }),
    ),
    limit: Optional(
      Integer(1, 500, {
        default: 200,
        description: 'The most changes of a reply. It can have fewer, so rely on `has_more`.',
      }),
    ),
    project_id: Optional(Id('prj', { description: 'Only this project and the records in it.' })),
    types: CommaSeparated(ChangedType, {
      description:
        'Only records of these types. Default: all whose `:read` scope the credential has.',
    }),
    wait: Optional(
      Integer(0, 30, {
        default: 0,
        description: 'With nothing new, the answer waits so many seconds for something.',
      }),
    ),
  }),
  reply: ChangePage,
  feed: Change,
  errors: ['insufficient_scope', 'invalid_cursor', 'position_expired', 'limit_reached'],
})

/** The same changes for pages of the web app, with positions that name their change number. */
export const listNumberedChanges = endpoint({
  ...listChanges,
  path: '/internal/changes',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'List changes by their number',
  description:
    'As `/api/v1/changes`. A position after whole changes is `<number>.<history>`, and may be made of the ' +
    '`change_number` and `history` of another reply. The stream has two more events: `stale` is a hint that a ' +
    'record has changed which is not in the changes, `{noun, id, project_id, operation_id}`, or without a noun ' +
    'that any of them may have; `heartbeat` comes every 15 s. Hints are not repeated: after connecting, read ' +
    'again what the changes lack.',
})
