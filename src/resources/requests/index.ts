import { may } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { type RequestLogEntry, requestLog } from '#core/request-log.ts'
import { type ReadOperation, readRoute } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { type OperationRange, rangeOfOperation } from '#db/operations/operations.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { timeOfId } from '#lib/id.ts'
import { andThen } from '#lib/maybe-promise.ts'
import { checksOf, idempotencyOf } from './checks.ts'
import { getRequest } from './contract.ts'

const MAX_AGE_MS = 7 * DAY_MS

/** The request, for the person who sent it, owners and admins. */
function loadRequest({ actor, nowMs }: ReadTx, id: string): RequestLogEntry {
  const entry = requestLog.find(id)
  const isReadable =
    entry?.workspace_id === actor.workspace_id &&
    entry.endedAtMs > nowMs - MAX_AGE_MS &&
    (entry.user_id === actor.user_id || may(actor, 'change_work_of_others'))
  if (!isReadable) throw notFound()
  return entry
}

const get: ReadOperation<typeof getRequest, RequestLogEntry> = (tx, entry) => {
  const { id, method, route, user_id, role, credential_id, status, operation_id } = entry
  const range =
    operation_id === null ? undefined : tx.oneNow(rangeOfOperation, { id: operation_id })
  return andThen(range, (events) => ({
    id,
    created_at: timestampOf(timeOfId(id)),
    method,
    route,
    actor: { type: entry.actor_type, user_id, role, credential_id },
    status,
    error_code: entry.error_code ?? null,
    checks: checksOf(entry),
    rate_limit: Number.isNaN(entry.limit)
      ? null
      : {
          limit: entry.limit,
          remaining: entry.remaining,
          resets_at: timestampOf(entry.reset * 1000),
        },
    idempotency: idempotencyOf(entry),
    operation_id,
    event_count: operation_id === null ? null : countEvents(events),
  }))
}

/** Operations are kept longer than requests, but for those that have no events. */
const countEvents = (range: OperationRange | undefined): number =>
  range ? Math.max(0, range.last_sequence - range.first_sequence + 1) : 0

export const requests = [readRoute(getRequest, (tx, { params }) => loadRequest(tx, params.id), get)]
