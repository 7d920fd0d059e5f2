import type { WriteTx } from '#core/transaction.ts'
import { disableWebhook, noteWebhookChange } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import type { DeliveryAttempt } from '../sending/attempt.ts'
import {
  currentWebhookUrls,
  existingDeliveries,
  insertDeliveryAttempt,
  releaseNextInLane,
  updateDelivery,
  updateWebhookHealth,
  webhooksToDisable,
} from './record-store.ts'
import { type AttemptVerdict, judgeAttempt, type RetrySchedule } from './retry.ts'

/** When attempts are retried, and when a webhook that keeps failing is disabled. */
export interface DeliveryRules extends RetrySchedule {
  disableAfterSeconds: number
  disableAfterAttempts: number
}

type DeliveryStatus = DeliveryRow['status']

interface JudgedAttempt {
  attempt: DeliveryAttempt
  verdict: AttemptVerdict
  /**
   * Whether it was still pending: it may have been canceled meanwhile, or sent by another process.
   */
  wasPending: boolean
}

/**
 * Records finished attempts in the order in which they ended: updates each delivery, unblocks the
 * next one in its lane, and updates its webhook, which may be disabled. Returns the disabled
 * webhooks.
 */
export async function recordAttempts(
  tx: WriteTx,
  ended: readonly DeliveryAttempt[],
  rules: DeliveryRules,
): Promise<{ id: string; reason: 'gone' | 'failures' }[]> {
  const existing = await tx.all(existingDeliveries, {
    ids: ended.map(({ delivery }) => delivery.id),
  })
  const status = new Map(existing.map((one) => [one.id, one.status]))
  const counts = new Map(existing.map((one) => [one.id, one.attempt_count]))
  const judged: JudgedAttempt[] = ended
    // The log of a deleted webhook may be gone already. An attempt may be recorded already: by a
    // commit whose confirmation was lost, or by another process that held the claim meanwhile.
    .filter(({ delivery, number }) => counts.get(delivery.id) === number - 1)
    .map((attempt) => ({
      attempt,
      verdict: judgeAttempt(attempt, rules, endOfAttempt(attempt, tx.nowMs), Math.random()),
      wasPending: status.get(attempt.delivery.id) === 'pending',
    }))
  if (judged.length === 0) return []
  await tx.runEach(
    updateDelivery,
    judged.map((one) => toDeliveryUpdate(one, status)),
  )
  await tx.runEach(
    insertDeliveryAttempt,
    judged.map(({ attempt }) => toAttemptRow(attempt)),
  )
  const lanes = judged.flatMap(({ attempt: { webhook_id, delivery }, verdict }) =>
    verdict.releasesLane && delivery.lane !== null ? [{ webhook_id, lane: delivery.lane }] : [],
  )
  await tx.runEach(releaseNextInLane, lanes)
  const webhooks = Map.groupBy(
    judged,
    ({ attempt }) => `${attempt.webhook_id} ${attempt.activation}`,
  )
  await tx.runEach(
    updateWebhookHealth,
    [...webhooks.values()].map((group) => ({ ...summarizeHealth(group), now: tx.now })),
  )
  for (const id of new Set(judged.map(({ attempt }) => attempt.webhook_id)))
    noteWebhookChange(tx, id)
  return disableFailingWebhooks(tx, judged, rules)
}

/** Not later than now: the wall clock may run slower than the measured duration. */
const endOfAttempt = ({ startedAt, duration_ms }: DeliveryAttempt, now: number) =>
  Math.min(startedAt + duration_ms, now)

function toDeliveryUpdate(
  { attempt, verdict, wasPending }: JudgedAttempt,
  status: Map<string, DeliveryStatus>,
) {
  const { delivery, number, startedAt, duration_ms, error } = attempt
  const isOver = verdict.status !== 'pending'
  return {
    id: delivery.id,
    status: wasPending ? verdict.status : (status.get(delivery.id) ?? verdict.status),
    attempt_count: number,
    due_at: timestampOf(verdict.dueAt),
    last_attempt_at: timestampOf(startedAt),
    response_status: attempt.status,
    duration_ms,
    error,
    completed_at: isOver ? timestampOf(verdict.dueAt) : null,
  }
}

const toAttemptRow = ({
  delivery,
  number,
  startedAt,
  duration_ms,
  ...attempt
}: DeliveryAttempt) => ({
  delivery_id: delivery.id,
  number,
  started_at: timestampOf(startedAt),
  duration_ms,
  response_status: attempt.status,
  response_body: attempt.body,
  error: attempt.error,
  url: attempt.url,
  headers: JSON.stringify(attempt.headers),
})

/** Summarizes the attempts to one webhook in one activation; unsendable deliveries do not count. */
function summarizeHealth(all: readonly JudgedAttempt[]) {
  const sent = all.filter(({ attempt }) => !attempt.isUnsendable)
  const timeOfLast = (matches: (attempt: DeliveryAttempt) => boolean) => {
    const last = sent.findLast(({ attempt }) => matches(attempt))
    return last ? timestampOf(last.attempt.startedAt) : null
  }
  const lastSuccess = sent.findLastIndex(({ attempt }) => attempt.error === null)
  const failed = sent.slice(lastSuccess + 1)
  const [first] = failed
  return {
    id: all[0]?.attempt.webhook_id ?? '',
    activation: all[0]?.attempt.activation ?? 0,
    ended: all.filter(({ verdict, wasPending }) => wasPending && verdict.status !== 'pending')
      .length,
    succeeded: lastSuccess === -1 ? 0 : 1,
    failures: failed.length,
    failing_since: first ? timestampOf(first.attempt.startedAt) : null,
    last_delivery_at: timeOfLast(() => true),
    last_success_at: timeOfLast(({ error }) => error === null),
    last_failure_at: timeOfLast(({ error }) => error !== null),
  }
}

async function disableFailingWebhooks(
  tx: WriteTx,
  judged: readonly JudgedAttempt[],
  rules: DeliveryRules,
) {
  const goneAttempts = judged.filter(({ verdict }) => verdict.isGone).map(({ attempt }) => attempt)
  const ids = [...new Set(goneAttempts.map(({ webhook_id }) => webhook_id))]
  const current = ids.length > 0 ? await tx.all(currentWebhookUrls, { ids }) : []
  // A 410 from a former address, or from before the webhook was enabled again, does not count.
  const goneIds = current
    .filter(({ id, url, activation }) =>
      goneAttempts.some(
        (one) => one.webhook_id === id && one.url === url && one.activation === activation,
      ),
    )
    .map(({ id }) => id)
  const failed = judged.filter(({ attempt }) => attempt.error !== null)
  const failing = await tx.all(webhooksToDisable, {
    ids: [...new Set(failed.map(({ attempt }) => attempt.webhook_id))],
    attempts: rules.disableAfterAttempts,
    since: timestampOf(tx.nowMs - rules.disableAfterSeconds * 1000),
  })
  const disabled = [
    ...goneIds.map((id) => ({ id, reason: 'gone' as const })),
    ...failing
      .filter(({ id }) => !goneIds.includes(id))
      .map(({ id }) => ({ id, reason: 'failures' as const })),
  ]
  for (const webhook of disabled) await disableWebhook(tx, webhook)
  return disabled
}
