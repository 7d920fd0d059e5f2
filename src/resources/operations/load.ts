import { may } from '#core/actor.ts'
import { ApiError, notFound } from '#core/api-error.ts'
import type { OperationEvent } from '#core/operation-change.ts'
import type { ReadTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import { eventsInRange } from '#db/operations/operations.ts'
import { type PendingOperation, pendingOperationById } from '#db/operations/pending-operations.ts'
import { firstIdAt } from '#lib/id.ts'
import { visibleProjectsByIds } from '#resources/activity/store.ts'
import type { OperationChange } from '#wire/operation-record.ts'
import { RECORD_TYPES, SCOPE_BY_RECORD_TYPE } from '#wire/scopes.ts'
import { operationById } from './store.ts'

export type LoadedOperation = NonNullable<Awaited<ReturnType<typeof readOperation>>>

const readOperation = (tx: ReadTx, id: string) => tx.one(operationById, { id })

const OPERATION_ID = /^opr_[0-9a-hjkmnp-tv-z]{26}$/

/** The first id of an operation that can still be undone. */
export const firstKeptId = (tx: ReadTx): string =>
  firstIdAt('opr', Date.parse(trashSince(tx.nowMs)))

/** The operation, for the person who did it, owners and admins. */
export async function loadOperation(tx: ReadTx, id: string): Promise<LoadedOperation> {
  const operation = await findOperation(tx, id)
  if (!operation) throw notFound()
  return operation
}

/**
 * The operation if the actor may know it. 410 once it is too old to be undone, whether or not there was such an
 * operation.
 */
export async function findOperation(tx: ReadTx, id: string): Promise<LoadedOperation | undefined> {
  if (OPERATION_ID.test(id) && id < firstKeptId(tx)) throw operationExpired()
  const operation = await readOperation(tx, id)
  if (!operation) return undefined
  if (operation.user_id !== tx.actor.user_id && !may(tx.actor, 'change_work_of_others'))
    return undefined
  const { start } = await readEventLogBounds(tx)
  if (operation.last_sequence > 0 && operation.first_sequence < start) throw operationExpired()
  return operation
}

/** A write, with the request if that had to wait for a person; or a request alone, which waits. */
export type OperationLookup =
  | { operation: LoadedOperation; pending: PendingOperation | undefined }
  | { operation: undefined; pending: PendingOperation }

/** Like `loadOperation`, but also a request that waits for a person, or has waited. */
export async function loadOperationOrPending(tx: ReadTx, id: string): Promise<OperationLookup> {
  const pending = id < firstKeptId(tx) ? undefined : await tx.one(pendingOperationById, { id })
  const isReadable = pending?.user_id === tx.actor.user_id || may(tx.actor, 'change_work_of_others')
  if (!pending || !isReadable) return { operation: await loadOperation(tx, id), pending: undefined }
  // A request with several operations, as in bulk, has none of this id itself.
  return { operation: await readOperation(tx, id), pending }
}

const operationExpired = () =>
  new ApiError(410, 'operation_expired', 'Operations are kept for 30 days, and this one is older.')

/** Up to `limit` events of an operation, in order. */
export async function loadEventsOf(
  tx: ReadTx,
  { first_sequence, last_sequence }: LoadedOperation,
  limit: number,
): Promise<OperationEvent[]> {
  const range = { first: first_sequence, last: last_sequence, limit }
  const rows = await tx.all(eventsInRange, range)
  return rows.map(({ payload }) => parseEvent(payload))
}

/** Parses the payload of an event. */
export const parseEvent = (payload: string): OperationEvent => JSON.parse(payload)

/** The changes of records that the actor may read: in a visible project, and with the scope of their type. */
export async function readableChanges(
  tx: ReadTx,
  changes: readonly OperationChange[],
): Promise<OperationChange[]> {
  const projectsOf = ({ project_id, changes: { project_id: moved } }: OperationChange) => [
    project_id,
    moved?.from ?? null,
    moved?.to ?? null,
  ]
  const ids = new Set(changes.flatMap(projectsOf))
  const rows = await tx.all(visibleProjectsByIds, { ids: [...ids].filter((id) => id !== null) })
  const visible = new Set<unknown>(rows.map(({ id }) => id))
  return changes.filter((change) => {
    const name = RECORD_TYPES.find((one) => one === change.record_type)
    const isAllowed = name && tx.actor.scopes.has(SCOPE_BY_RECORD_TYPE[name])
    return isAllowed && projectsOf(change).every((id) => id === null || visible.has(id))
  })
}
