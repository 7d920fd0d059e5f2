import type { Json } from '#lib/json.ts'
import type { BulkBody, BulkEndpoint, BulkOperationInput } from '#wire/bulk-endpoint.ts'
import { successStatusOf } from '#wire/endpoint.ts'
import { nestFieldError } from '#wire/field-error.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import {
  ApiError,
  assertNoFieldErrors,
  insufficientScope,
  summarizeErrors,
  versionMismatch,
} from './api-error.ts'
import { isRecordReply, type RecordReply, type WriteRoute, writeRoute } from './route.ts'
import type { WriteTx } from './transaction.ts'

/** What an operation of a bulk request returns: the record, unless it has deleted it. */
interface BulkOutcome {
  status: number
  record?: RecordReply<object> | undefined
}

/** Runs one operation, which makes its checks in the order of an endpoint: 404, 403, 412, 422, 409. */
export type BulkHandler = (tx: WriteTx, operation: BulkOperationInput) => Promise<BulkOutcome>

/**
 * Defines the route of a bulk endpoint. Each kind of operation runs the route of its own endpoint, with
 * `data` as its body, or a handler for what no endpoint does alone.
 */
export function bulkRoute(
  endpoint: BulkEndpoint,
  kinds: Readonly<Record<string, WriteRoute | BulkHandler>>,
): WriteRoute {
  const scopes = new Map<unknown, Scope>()
  const handlers = new Map<string, BulkHandler>()
  for (const [op, kind] of Object.entries(kinds)) {
    const isHandler = typeof kind === 'function'
    handlers.set(op, isHandler ? kind : bindRoute(kind))
    const scope = SCOPES.find((one) => !isHandler && one === kind.endpoint.scope)
    if (scope !== undefined) scopes.set(op, scope)
  }
  // Deletions need a scope of their own, which is checked before the body is validated.
  const assertScopes = (tx: WriteTx, { body }: { body: unknown }): undefined => {
    const { operations } = Object(body) as { operations?: unknown }
    if (!Array.isArray(operations)) return
    for (const operation of operations) {
      const scope = scopes.get(Object(operation).op)
      if (scope !== undefined && !tx.actor.scopes.has(scope)) throw insufficientScope(scope)
    }
  }
  return writeRoute(endpoint, assertScopes, (tx, _, { body }) => runBulk(tx, body, handlers))
}

function bindRoute({ endpoint, load }: WriteRoute): BulkHandler {
  const parse = endpoint.body && createSchemaParser(endpoint.body)
  const status = successStatusOf(endpoint)
  return async (tx, { id, task_id, project_id, version, updated_at, data = {} }) => {
    const params = { id: id ?? task_id ?? project_id }
    const record = await load(tx, { params, query: {}, body: data })
    assertRevision(version ?? updated_at, record.revision)
    const { value, errors } = parse?.(data) ?? { value: undefined, errors: [] }
    assertNoFieldErrors(errors)
    const result = await record.operate(value)
    return isRecordReply(result) ? { status, record: result } : { status }
  }
}

/** Throws 412 if the record is not in the revision that an operation demands, or if there is none. */
export function assertRevision(
  demanded: number | string | undefined,
  revision: number | string | undefined,
): void {
  if (demanded !== undefined && demanded !== revision) throw versionMismatch()
}

async function runBulk(
  tx: WriteTx,
  { operations, atomic = true }: BulkBody,
  handlers: ReadonlyMap<string, BulkHandler>,
) {
  const results: string[] = []
  const createdIds = new Set<string>()
  let failed = 0
  for (const [index, operation] of operations.entries()) {
    const execute = async () => {
      const handle = handlers.get(operation.op)
      if (!handle) throw new Error(`No handler of the bulk operation ${operation.op}`)
      const { status, record } = await handle(tx, operation)
      if (record && status === 201) createdIds.add(record.id)
      const operation_id = tx.hasChanges ? `"${tx.operation_id}"` : null
      return `{"index":${index},"status":${status},"operation_id":${operation_id},"data":${record?.json ?? null},"error":null}`
    }
    try {
      results.push(await tx.runOperation(execute))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (atomic || error.status >= 500) throw toRequestError(error, index, createdIds)
      results.push(failedResult(error, index))
      failed += 1
    }
  }
  const succeeded = results.length - failed
  const body = `{"results":[${results.join(',')}],"succeeded":${succeeded},"failed":${failed}}`
  return body as Json<object>
}

/**
 * Converts the error of an operation to that of the whole request: fields get the path of the
 * operation. Records that the request itself created are rolled back, so their ids are left out.
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
