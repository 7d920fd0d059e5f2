import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { OperationRecord, OperationRecordType } from '#wire/operation-record.ts'
import {
  FieldOf,
  Id,
  IdReference,
  Integer,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  PathId,
  type Static,
  StrictObject,
  StringEnum,
  TaskPathId,
  Timestamp,
  UniqueList,
  WordOrId,
} from '#wire/schema-builders.ts'

const COMMON = { limit: 'workspace', tag: 'Operations' } as const
const MAX_COUNT = Number.MAX_SAFE_INTEGER

export type { OperationChange, OperationRecord } from '#wire/operation-record.ts'

export const listOperations = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/operations',
  scope: 'tasks:read',
  operationId: 'listOperations',
  summary: 'List operations',
  description:
    'Every write of the last 30 days that caused an event, or deleted a view or template: your own by default. ' +
    'Owners and admins can list those of other people.',
  query: ListQuery(['-created_at', 'created_at'], {
    user_id: Optional(
      WordOrId(['me', 'all'], 'usr', {
        description: 'Whose operations. `all`: of the whole workspace. Default: `me`.',
      }),
    ),
    credential_id: Optional(
      Type.String({ maxLength: 64, description: 'Only those of this API key or application.' }),
    ),
    import_id: Optional(Id('imp', { description: 'Only those of this import.' })),
    created_after: Optional(Timestamp({ description: 'Only those since this time.' })),
  }),
  reply: PageOf(OperationRecord),
  errors: ['insufficient_role'],
})

export const listTaskOperations = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id/operations',
  scope: 'tasks:read',
  operationId: 'listTaskOperations',
  summary: 'List the operations of a task',
  description:
    'The writes of the last 30 days that changed this task after its creation, by anybody: with what they changed in it and no ' +
    'other record. A program can find out so what it has overwritten.',
  params: TaskPathId,
  query: ListQuery(['-created_at', 'created_at'], {}),
  reply: PageOf(OperationRecord),
})

export const getOperation = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/operations/:id',
  scope: 'tasks:read',
  operationId: 'getOperation',
  summary: 'Get an operation',
  description: 'What it changed, field by field. Owners and admins can read those of other people.',
  params: PathId('opr'),
  reply: OperationRecord,
  errors: ['operation_expired'],
})

const UndoneRecord = StrictObject(
  {
    record_type: FieldOf(OperationRecordType, 'The type of the record.'),
    record_id: Type.String({ description: 'The id of the record.' }),
    fields: List(Type.String(), {
      description:
        'The fields that are as before. Empty if the record itself was deleted or restored.',
    }),
  },
  { title: 'UndoneRecord', description: 'A record that an undo has taken back.' },
)

/** What an undo leaves as it is. */
export type LeftRecord = Static<typeof LeftRecord>
export const LeftRecord = StrictObject(
  {
    operation_id: Id('opr', { description: 'The operation that did it.' }),
    record_type: FieldOf(OperationRecordType, 'The type of the record.'),
    record_id: Type.String({ description: 'The id of the record.' }),
    field: Nullable(Type.String(), { description: 'The field. Null: the whole record.' }),
    code: Type.String({
      description:
        'Why. `changed_since`: somebody has changed it. `gone`: it is deleted, or you do not see it any more. ' +
        '`not_undoable`: nothing takes this back. Others are the code of the error that you would get. ' +
        'More codes may be added.',
    }),
    message: Type.String({ description: 'Why, for people.' }),
    changed_by_id: Nullable(Id('usr'), { description: 'Who has changed it since, if known.' }),
    changed_at: Nullable(Timestamp(), { description: 'When it was changed since, if known.' }),
  },
  { title: 'LeftRecord', description: 'What an undo has left as it is.' },
)

/** The outcome of an undo. */
export type UndoResult = Static<typeof UndoResult>
export const UndoResult = StrictObject(
  {
    undone_count: Integer(0, MAX_COUNT, { description: 'How many records it took back.' }),
    left_count: Integer(0, MAX_COUNT, { description: 'How much it left as it is.' }),
    undone: List(UndoneRecord, { description: 'The first 100 records that it took back.' }),
    left: List(LeftRecord, { description: 'The first 100 that it left.' }),
  },
  { title: 'UndoResult', description: 'What an undo took back, and what it left.' },
)

const UNDO_ERRORS = ['insufficient_scope', 'operation_expired'] as const

export const undoOperation = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/operations/:id/undo',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'undoOperation',
  summary: 'Undo an operation',
  description:
    'Takes back what the operation changed and nobody has changed since. It is an operation itself, with events ' +
    'of its own, and can be undone. If something has been changed since, the reply is 409 `changed_since` and ' +
    'nothing is undone, unless `only` is `unchanged`. Your rights are those of today: the credential needs the ' +
    'scope of each request that would take it back by hand. With `dry_run` you learn what would happen.',
  params: PathId('opr'),
  query: StrictObject({
    only: Optional(
      StringEnum(['unchanged'], {
        description: '`unchanged`: leave what has been changed since, and take back the rest.',
      }),
    ),
  }),
  body: StrictObject({}),
  bodyOptional: true,
  reply: UndoResult,
  dryRun: true,
  errors: [...UNDO_ERRORS, 'changed_since', 'already_undone'],
})

/** Operations are named, or chosen by a time and filters. */
function requireChoice(body: Readonly<Record<string, unknown>>): FieldError[] {
  const { ids, ...filters } = body
  if (ids === undefined && filters.since === undefined)
    return [fieldError('since', 'required', 'is required without `ids`')]
  if (ids === undefined || Object.keys(filters).length === 0) return []
  return [fieldError('ids', 'conflicting_fields', 'cannot be sent with another member')]
}

const UndoManyResult = StrictObject(
  {
    ...UndoResult.properties,
    operation_count: Integer(0, 100, {
      description: 'How many operations this request has looked at.',
    }),
    operation_ids: List(Id('opr'), {
      description: 'The operations that took something back; undo them to redo it.',
    }),
    next_before_id: Nullable(Id('opr'), {
      description:
        'Send it as `before_id` to go on with earlier operations. Null: there are no more.',
    }),
  },
  { title: 'UndoManyResult', description: 'What was taken back of several operations.' },
)

export const undoOperations = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/operations/undo',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'undoOperations',
  summary: 'Undo several operations',
  description:
    'Takes back the operations with some ids, or those since a time: of an API key or application, of a person, or ' +
    'of an import. The newest comes first, and up to 100 are taken in a request. Each is undone by an operation of ' +
    'its own; what has been changed since is left. Those undone already are left out, and without `ids` also what ' +
    'has undone something. Try it with `dry_run` first.',
  body: StrictObject(
    {
      ids: Optional(
        UniqueList(IdReference('opr'), 100, {
          description: 'These operations, and no other member.',
        }),
      ),
      since: Optional(
        Timestamp({ description: 'Operations at this time or later. Required without `ids`.' }),
      ),
      credential_id: Optional(
        Type.String({ maxLength: 64, description: 'Only those of this API key or application.' }),
      ),
      user_id: Optional(
        IdReference('usr', {
          description:
            'The person for whom they were done. Default: you; with `credential_id` or `import_id`, the person behind it.',
        }),
      ),
      import_id: Optional(IdReference('imp', { description: 'Only those of this import.' })),
      before_id: Optional(
        IdReference('opr', { description: 'Only operations before this one: `next_before_id`.' }),
      ),
    },
    {
      title: 'UndoManyRequest',
      description: 'Which operations to take back.',
      'x-together': requireChoice,
    },
  ),
  reply: UndoManyResult,
  dryRun: true,
  errors: [...UNDO_ERRORS, 'insufficient_role'],
})
