import { type TProperties, Type } from 'typebox'
import { ERROR_FIELDS } from '#wire/error-schemas.ts'
import {
  FieldOf,
  Flag,
  Id,
  IdReference,
  Integer,
  List,
  Nullable,
  Optional,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import { NewTask, TaskChanges } from './bodies.ts'
import { Task } from './fields.ts'
import { BULK_OPERATIONS, validateBulkOperation } from './rules/cross-field-rules.ts'

const EXISTING_TASK = {
  id: IdReference('tsk', { description: 'The id of the task; short ids are not accepted here.' }),
  version: Optional(
    Integer(1, Number.MAX_SAFE_INTEGER, {
      description:
        'The `version` that the task must have; otherwise the operation fails with 412. Default: any.',
    }),
  ),
}

/** Described for the OpenAPI document, in which each kind of operation has a type of its own. */
const bulkOperation = <P extends TProperties>(
  op: (typeof BULK_OPERATIONS)[number],
  description: string,
  properties: P,
) => {
  const title = `BulkTask${op.charAt(0).toUpperCase()}${op.slice(1)}`
  const kind = StringEnum([op], { description: 'The kind of operation.' })
  return StrictObject({ op: kind, ...properties }, { title, description })
}

/** One schema for each operation, by `op`: what `validateBulkOperation` says of all together. */
const BulkOperationByOp = Type.Union(
  [
    bulkOperation('create', 'Creates a task.', { data: FieldOf(NewTask, 'The new task.') }),
    bulkOperation('update', 'Updates a task.', {
      ...EXISTING_TASK,
      data: FieldOf(TaskChanges, 'The changes of the task.'),
    }),
    bulkOperation('complete', 'Completes a task.', EXISTING_TASK),
    bulkOperation('delete', 'Deletes a task and its subtasks.', EXISTING_TASK),
    bulkOperation('restore', 'Restores a deleted task.', EXISTING_TASK),
  ],
  {
    title: 'BulkTaskOperation',
    description: 'One operation on one task. `op` says which one.',
    'x-discriminator': 'op',
  },
)

const BulkOperation = StrictObject(
  {
    op: StringEnum(BULK_OPERATIONS),
    id: Optional(IdReference('tsk')),
    version: Optional(Integer(1, Number.MAX_SAFE_INTEGER)),
    data: Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', propertyNames: { pattern: '' } }),
    ),
  },
  { 'x-together': validateBulkOperation, 'x-documented': BulkOperationByOp },
)

const BulkError = StrictObject(ERROR_FIELDS, {
  title: 'BulkTaskError',
  description: 'Why an operation of a bulk request failed.',
})

const BulkResult = StrictObject(
  {
    index: Integer(0, 99, { description: 'The index of the operation in the request, from 0.' }),
    status: Integer(200, 599, {
      description: 'The status that the endpoint of the operation would have returned.',
    }),
    operation_id: Nullable(Id('opr'), {
      description: 'The `operation_id` of its events. Null if it changed nothing.',
    }),
    data: Nullable(Task, {
      description:
        'The task after the operation. Null if it was deleted, or if the operation failed.',
    }),
    error: Nullable(BulkError, { description: 'Why the operation failed. Null if it succeeded.' }),
  },
  { title: 'BulkTaskResult', description: 'The result of one operation.' },
)

export const BulkTasksRequest = StrictObject(
  {
    operations: List(BulkOperation, {
      minItems: 1,
      maxItems: 100,
      description: 'The operations, which run in this order.',
    }),
    atomic: Optional(
      Flag({
        default: true,
        description:
          '`true`: if one operation fails, none has an effect, and the reply is its error. ' +
          '`false`: each is on its own. Default: `true`.',
      }),
    ),
  },
  { title: 'BulkTasksRequest', description: 'A bulk request: operations on tasks.' },
)

export const BulkTasksReply = StrictObject(
  {
    results: List(BulkResult, {
      description: 'The results, one for each operation and in the same order.',
    }),
    succeeded: Integer(0, 100, { description: 'How many operations succeeded.' }),
    failed: Integer(0, 100, { description: 'How many operations failed: none with `atomic`.' }),
  },
  { title: 'BulkTasksReply', description: 'The results of a bulk request.' },
)
