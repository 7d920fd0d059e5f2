import type { WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { disableWebhook, noteWebhook } from '#storage/deliveries.ts'
import type { DeliveryRow } from '#storage/tables.ts'
import type { Attempt } from './attempt.ts'
import {
  failingTooLong,
  insertAttempt,
  noteAttempts,
  releaseNext,
  settle,
  stillThere,
  targetsAmong,
} from './record-store.ts'
import type { Schedule } from './retry.ts'
import { type Verdict, verdictOn } from './verdict.ts'

/** How attempts follow one another, and when a webhook that only fails is disabled. */
export interface Rules extends Schedule {
  disableAfterSeconds: number
  disableAfterAttempts: number
}

type Status = DeliveryRow['status']

interface Judged {
  attempt: Attempt
  verdict: Verdict
  /** Whether it still waited: it may have been canceled, or sent by somebody else, meanwhile. */
  waited: boolean
}

/**
 * Writes down how attempts went, in the order in which they ended: for each delivery, for what waits
 * behind it, and for its webhook, which may be disabled by it. Gives the webhooks that were.
 */
export async function record(
  tx: WriteTx,
  ended: readonly Attempt[],
  rules: Rules,
): Promise<{ id: string; reason: 'gone' | 'failures' }[]> {
  const found = await tx.all(stillThere, { ids: ended.map(({ delivery }) => delivery.id) })
  const status = new Map(found.map((one) => [one.id, one.status]))
  const counts = new Map(found.map((one) => [one.id, one.attempt_count]))
  const judged: Judged[] = ended
    // The log of a webhook that was deleted may be gone already; and an attempt may be written down
    // already, by a commit of which nothing was heard or by another who held the claim meanwhile.
    .filter(({ delivery, number }) => counts.get(delivery.id) === number - 1)
    .map((attempt) => ({
      attempt,
      verdict: verdictOn(attempt, rules, endOf(attempt, tx.instant), Math.random()),
      waited: status.get(attempt.delivery.id) === 'pending',
    }))
  if (judged.length === 0) return []
  await tx.each(
    settle,
    judged.map((one) => settled(one, status)),
  )
  await tx.each(
    insertAttempt,
    judged.map(({ attempt }) => made(attempt)),
  )
  const lanes = judged.flatMap(({ attempt: { webhook_id, delivery }, verdict }) =>
    verdict.releases && delivery.lane !== null ? [{ webhook_id, lane: delivery.lane }] : [],
  )
  await tx.each(releaseNext, lanes)
  const webhooks = Map.groupBy(
    judged,
    ({ attempt }) => `${attempt.webhook_id} ${attempt.activation}`,
  )
  await tx.each(
    noteAttempts,
    [...webhooks.values()].map((those) => ({ ...told(those), now: tx.now })),
  )
  for (const id of new Set(judged.map(({ attempt }) => attempt.webhook_id))) noteWebhook(tx, id)
  return disableHopeless(tx, judged, rules)
}

/** Not after the present, where the clock was slower than the attempt. */
const endOf = ({ started, duration_ms }: Attempt, now: number) =>
  Math.min(started + duration_ms, now)

function settled({ attempt, verdict, waited }: Judged, status: Map<string, Status>) {
  const { delivery, number, started, duration_ms, error } = attempt
  const over = verdict.status !== 'pending'
  return {
    id: delivery.id,
    status: waited ? verdict.status : (status.get(delivery.id) ?? verdict.status),
    attempt_count: number,
    due_at: timestampOf(verdict.due),
    last_attempt_at: timestampOf(started),
    response_status: attempt.status,
    duration_ms,
    error,
    completed_at: over ? timestampOf(verdict.due) : null,
  }
}

const made = ({ delivery, number, started, duration_ms, ...attempt }: Attempt) => ({
  delivery_id: delivery.id,
  number,
  started_at: timestampOf(started),
  duration_ms,
  response_status: attempt.status,
  response_body: attempt.body,
  error: attempt.error,
  url: attempt.url,
  headers: JSON.stringify(attempt.headers),
})

/** What the attempts to one webhook in one activation say of it; what could not be sent says nothing. */
function told(all: readonly Judged[]) {
  const those = all.filter(({ attempt }) => !attempt.broken)
  const times = (wanted: (attempt: Attempt) => boolean) => {
    const last = those.findLast(({ attempt }) => wanted(attempt))
    return last ? timestampOf(last.attempt.started) : null
  }
  const lastSuccess = those.findLastIndex(({ attempt }) => attempt.error === null)
  const failed = those.slice(lastSuccess + 1)
  const [first] = failed
  return {
    id: all[0]?.attempt.webhook_id ?? '',
    activation: all[0]?.attempt.activation ?? 0,
    ended: all.filter(({ verdict, waited }) => waited && verdict.status !== 'pending').length,
    succeeded: lastSuccess === -1 ? 0 : 1,
    failures: failed.length,
    failing_since: first ? timestampOf(first.attempt.started) : null,
    last_delivery_at: times(() => true),
    last_success_at: times(({ error }) => error === null),
    last_failure_at: times(({ error }) => error !== null),
  }
}

async function disableHopeless(tx: WriteTx, judged: readonly Judged[], rules: Rules) {
  const farewells = judged.filter(({ verdict }) => verdict.gone).map(({ attempt }) => attempt)
  const ids = [...new Set(farewells.map(({ webhook_id }) => webhook_id))]
  const now = ids.length > 0 ? await tx.all(targetsAmong, { ids }) : []
  // What an address said that the webhook has left, or before it was enabled again, is of the past.
  const gone = now
    .filter(({ id, url, activation }) =>
      farewells.some(
        (one) => one.webhook_id === id && one.url === url && one.activation === activation,
      ),
    )
    .map(({ id }) => id)
  const failed = judged.filter(({ attempt }) => attempt.error !== null)
  const hopeless = await tx.all(failingTooLong, {
    ids: [...new Set(failed.map(({ attempt }) => attempt.webhook_id))],
    attempts: rules.disableAfterAttempts,
    since: timestampOf(tx.instant - rules.disableAfterSeconds * 1000),
  })
  const disabled = [
    ...gone.map((id) => ({ id, reason: 'gone' as const })),
    ...hopeless
      .filter(({ id }) => !gone.includes(id))
      .map(({ id }) => ({ id, reason: 'failures' as const })),
  ]
  for (const webhook of disabled) await disableWebhook(tx, webhook)
  return disabled
}
