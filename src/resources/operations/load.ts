import { may } from '#core/actor.ts'
import { ApiError, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import { firstIdAt } from '#lib/id.ts'
import type { EventEnvelope } from '#resources/events/contract.ts'
import { eventsInRange, operationById } from './store.ts'

export type LoadedOperation = NonNullable<Awaited<ReturnType<typeof readOperation>>>

const readOperation = (tx: ReadTx, id: string) => tx.one(operationById, { id })

/** An event of the log as the outbox wrote it. */
export type OperationEvent = Pick<EventEnvelope, 'project_id' | 'data' | 'changes'> & {
  type: string
}

/** The first id of an operation that can still be undone. */
export const firstKeptId = (tx: ReadTx): string =>
  firstIdAt('opr', Date.parse(trashSince(tx.nowMs)))

/** The operation, for whoever did it, owners and admins. */
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
  if (id < firstKeptId(tx)) throw operationExpired()
  const operation = await readOperation(tx, id)
  if (!operation) return undefined
  if (operation.user_id !== tx.actor.user_id && !may(tx.actor, 'change_work_of_others'))
    return undefined
  const { start } = await readEventLogBounds(tx)
  if (operation.last_sequence > 0 && operation.first_sequence < start) throw operationExpired()
  return operation
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
