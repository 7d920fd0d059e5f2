import {
  ApiError,
  assertNoFieldErrors,
  insufficientScope,
  summarizeErrors,
} from '#core/api-error.ts'
import type { Operation, OperationInput, RecordLoader } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { nestFieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { type bulkTasks, NewTask, TaskChanges } from '../contract.ts'
import { loadTaskToDelete, loadTaskToRestore, loadTaskToWrite } from '../load.ts'
import { completeLoadedTask, restoreLoadedTask } from './complete.ts'
import { createTaskFromInput } from './create.ts'
import { removeLoadedTask } from './remove.ts'
import { updateLoadedTask } from './update.ts'

type BulkBody = OperationInput<typeof bulkTasks>['body']
type BulkOperationInput = BulkBody['operations'][number]
interface BulkOutcome {
  status: number
  json: string | null
  /** The id of a new task. */
  id?: string
}

/** Deletions need a scope of their own, which is checked before the body is validated. */
export const assertCanBulkDelete: RecordLoader<typeof bulkTasks, undefined> = async (
  tx,
  { body },
) => {
  const { operations } = (body ?? {}) as { operations?: unknown }
  const hasDeletion =
    Array.isArray(operations) && operations.some((operation) => operation?.op === 'delete')
  if (hasDeletion && !tx.actor.scopes.has('tasks:delete')) throw insufficientScope('tasks:delete')
  return undefined
}

export const bulk: Operation<typeof bulkTasks> = async (tx, _, { body }) => {
  const { operations, atomic = true } = body
  const results: string[] = []
  const createdIds = new Set<string>()
  let failed = 0
  for (const [index, operation] of operations.entries()) {
    try {
      results.push(await tx.runOperation(() => executeOperation(tx, index, operation, createdIds)))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (atomic || error.status >= 500) throw toRequestError(error, index, createdIds)
      results.push(failedResult(error, index))
      failed += 1
    }
  }
  const succeeded = results.length - failed
  return `{"results":[${results.join(',')}],"succeeded":${succeeded},"failed":${failed}}` as never
}

async function executeOperation(
  tx: WriteTx,
  index: number,
  operation: BulkOperationInput,
  createdIds: Set<string>,
) {
  const { status, json, id } = await HANDLERS[operation.op](tx, operation)
  if (id) createdIds.add(id)
  const operation_id = tx.hasChanges ? `"${tx.operation_id}"` : null
  return `{"index":${index},"status":${status},"operation_id":${operation_id},"data":${json},"error":null}`
}

const parseNewTask = createSchemaParser(NewTask)
const parseTaskChanges = createSchemaParser(TaskChanges)

/** Each operation makes its checks in the order of its endpoint: 404, 403, 412, 422, 409. */
const HANDLERS: Record<
  BulkOperationInput['op'],
  (tx: WriteTx, operation: BulkOperationInput) => Promise<BulkOutcome>
> = {
  async create(tx, { data }) {
    const { value, errors } = parseNewTask(data)
    assertNoFieldErrors(errors)
    const task = await createTaskFromInput(tx, value as Static<typeof NewTask>)
    return { status: 201, json: task.json, id: task.id }
  },
  async update(tx, { id = '', version, data }) {
    const task = await loadTaskToWrite(tx, id)
    assertVersion(version, task.revision)
    const { value, errors } = parseTaskChanges(data)
    assertNoFieldErrors(errors)
    const changed = await updateLoadedTask(tx, task, value as Static<typeof TaskChanges>)
    return { status: 200, json: changed.json }
  },
  async complete(tx, { id = '', version }) {
    const task = await loadTaskToWrite(tx, id)
    assertVersion(version, task.revision)
    return { status: 200, json: (await completeLoadedTask(tx, task)).json }
  },
  async delete(tx, { id = '', version }) {
    const task = await loadTaskToDelete(tx, id)
    assertVersion(version, task.revision)
    await removeLoadedTask(tx, task)
    return { status: 204, json: null }
  },
  async restore(tx, { id = '', version }) {
    const task = await loadTaskToRestore(tx, id)
    assertVersion(version, task.revision)
    return { status: 200, json: (await restoreLoadedTask(tx, task)).json }
  },
}

function assertVersion(version: number | undefined, revision: number): void {
  if (version === undefined || version === revision) return
  throw new ApiError(
    412,
    'version_mismatch',
    'The task has changed since you read it. Read it again, then repeat your change.',
  )
}

/**
 * Converts the error of an operation to that of the whole request: fields get the path of the
 * operation. Tasks that the request itself created are rolled back, so their ids are left out.
 */
function toRequestError(error: ApiError, index: number, createdIds: ReadonlySet<string>): ApiError {
  const { status, code, headers, requiredScope, cause } = error
  const field = `operations[${index}]`
  const isInvalid = code === 'validation_failed'
  const prefixed = error.details.map(({ resource_id, ...detail }) => ({
    ...nestFieldError(
      detail,
      [field, (isInvalid || detail.field) && 'data', detail.field].filter(Boolean).join('.'),
    ),
    ...(resource_id !== undefined && !createdIds.has(resource_id) && { resource_id }),
  }))
  const message = isInvalid ? summarizeErrors(prefixed) : error.message
  const details = prefixed.length > 0 ? prefixed : [{ field, code, message }]
  return new ApiError<string>(status, code, message, { details, headers, requiredScope, cause })
}

function failedResult({ status, type, code, message, details }: ApiError, index: number): string {
  const error = { type, code, message, details }
  return JSON.stringify({ index, status, operation_id: null, data: null, error })
}
