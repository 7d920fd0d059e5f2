import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { ApiError } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import {
  disableWebhook,
  earliestDueAt,
  LANE_BLOCKING_ATTEMPTS,
  noteWebhookChange,
} from '#db/deliveries/delivery-queue.ts'
import type { DeliveryAttemptRow, DeliveryRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import type { DeliveryAttempt } from './attempts.ts'
import type { WorkspaceClaim } from './queue.ts'

/** A webhook that was disabled because of its failed attempts. */
export interface DisabledWebhook {
  id: string
  reason: 'gone' | 'failures'
}

interface ResultWriterDeps {
  claim: Pick<WorkspaceClaim, 'writeAsHolder'>
  rules: DeliveryRules
  log: { error(about: object, message: string): void }
  /** Called when attempts are recorded. */
  onWritten(attempts: readonly DeliveryAttempt[], disabled: readonly DisabledWebhook[]): void
}

/** No request may wait long for a batch. */
const MAX_BATCH = 100
/** How long results are gathered: a commit costs as much as recording a hundred of them. */
const GATHER_MS = 20
const RETRY_MS = 500

/** Gathers the finished attempts of a workspace and records them in batches. */
export class ResultWriter {
  readonly #deps: ResultWriterDeps
  #attempts: DeliveryAttempt[] = []
  #isWriting = false
  #batchStartedAt = Number.NEGATIVE_INFINITY

  constructor(deps: ResultWriterDeps) {
    this.#deps = deps
  }

  get pendingCount(): number {
    return this.#attempts.length
  }

  get isIdle(): boolean {
    return this.#attempts.length === 0 && !this.#isWriting
  }

  add(attempt: DeliveryAttempt): void {
    this.#attempts.push(attempt)
    if (!this.#isWriting) this.#write()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Attempts that end in the same turn of the event loop are recorded together.
    await nextTurn()
    let batchSize = MAX_BATCH
    while (this.#attempts.length > 0) {
      const remainingMs = this.#batchStartedAt + GATHER_MS - performance.now()
      if (remainingMs > 1 && this.#attempts.length < MAX_BATCH) await pause(remainingMs)
      this.#batchStartedAt = performance.now()
      batchSize = await this.#writeBatch(this.#attempts.slice(0, batchSize))
    }
    this.#isWriting = false
  }

  /**
   * Records an attempt that cannot be written as unsendable, without its response. If that cannot
   * be written either, it is left in flight: it is not sent again before the next start.
   */
  #giveUpFirst(attempt: DeliveryAttempt): void {
    const others = this.#attempts.slice(1)
    const unsendable: DeliveryAttempt = {
      ...attempt,
      body: null,
      headers: {},
      error: 'connection_failed',
      isUnsendable: true,
    }
    this.#attempts = attempt.isUnsendable ? others : [unsendable, ...others]
  }

  /** Records one batch; returns the size of the next. */
  async #writeBatch(batch: readonly DeliveryAttempt[]): Promise<number> {
    const { claim, rules, log, onWritten } = this.#deps
    let disabled: readonly DisabledWebhook[]
    try {
      disabled = (await claim.writeAsHolder((tx) => recordAttempts(tx, batch, rules))) ?? []
    } catch (err) {
      log.error({ err }, 'Failed to save delivery results')
      if (err instanceof ApiError) {
        await pause(RETRY_MS)
        return batch.length
      }
      const [one] = batch
      if (batch.length === 1 && one) this.#giveUpFirst(one)
      return 1
    }
    this.#attempts = this.#attempts.slice(batch.length)
    try {
      onWritten(batch, disabled)
    } catch (err) {
      // The batch is recorded, and the next one must be.
      log.error({ err }, 'Failed to go on after recording delivery results')
    }
    return MAX_BATCH
  }
}

/** When attempts are retried, and when a webhook that keeps failing is disabled. */
export interface DeliveryRules {
  /** Seconds from each failure to the next attempt; there is one attempt more than delays. */
  retrySeconds: readonly number[]
  disableAfterSeconds: number
  disableAfterAttempts: number
}

/** What docs/spec/api.md#webhook-delivery promises: attempts for some three days, and disabled after three. */
export const DELIVERY_RULES: DeliveryRules = {
  retrySeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  disableAfterSeconds: 259_200,
  disableAfterAttempts: 20,
}

/** The receiver no longer exists (RFC 9110, 15.5.11). */
export const HTTP_GONE = 410

/** The consequence of an attempt for its delivery. */
interface AttemptVerdict {
  status: 'pending' | 'succeeded' | 'failed'
  /** Milliseconds since 1970 of the next attempt, or of the end if there is none. */
  dueAt: number
  /** Whether the next delivery of its lane may be sent (docs/spec/api.md#guarantees-of-events). */
  releasesLane: boolean
}

/** Judges an attempt that ended at `ended` milliseconds; `random` is in [0, 1). */
function judgeAttempt(
  attempt: DeliveryAttempt,
  rules: DeliveryRules,
  ended: number,
  random: number,
): AttemptVerdict {
  const { error, number, status, isUnsendable, delivery } = attempt
  const isLast = isUnsendable || delivery.is_test === 1 || status === HTTP_GONE
  const delay = isLast
    ? undefined
    : retryDelay(rules, number, retryAfterMs(attempt.retry_after, ended), random)
  const isOver = error === null || delay === undefined
  return {
    status: error === null ? 'succeeded' : isOver ? 'failed' : 'pending',
    dueAt: isOver ? ended : ended + delay,
    releasesLane:
      delivery.lane !== null &&
      number <= LANE_BLOCKING_ATTEMPTS &&
      (isOver || number === LANE_BLOCKING_ATTEMPTS),
  }
}

/** Delays grow by up to this fraction, so that deliveries that failed together are spread. */
const JITTER = 0.2

/**
 * Milliseconds from a failed attempt, the `number`th, to the next; undefined after the last. A
 * receiver's Retry-After can put it off, by a day at most. `random` is from 0 up to 1.
 */
export function retryDelay(
  { retrySeconds }: DeliveryRules,
  number: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const seconds = retrySeconds[number - 1]
  if (seconds === undefined) return undefined
  const delay = Math.round(seconds * 1000 * (1 + JITTER * random))
  return Math.max(delay, Math.min(retryAfter ?? 0, DAY_MS))
}

const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*'
/** The three forms of a date in a header (RFC 9110, 5.6.7), which are all in GMT. */
const HTTP_DATE = new RegExp(`^${DAY_NAME},? [\\w -]+ \\d\\d:\\d\\d:\\d\\d( GMT| \\d{4})$`)

/**
 * Milliseconds requested by a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3);
 * Infinity if the number is too large, and undefined for anything else.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0)
}

interface JudgedAttempt {
  attempt: DeliveryAttempt
  verdict: AttemptVerdict
  /** No longer `pending` if it was canceled meanwhile, or sent by another process. */
  before: DeliveryRow['status']
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
): Promise<DisabledWebhook[]> {
  const existing = await tx.all(existingDeliveries, {
    ids: ended.map(({ delivery }) => delivery.id),
  })
  const current = new Map(existing.map((one) => [one.id, one]))
  const judged = ended.flatMap((attempt): JudgedAttempt[] => {
    const before = current.get(attempt.delivery.id)
    // The log of a deleted webhook may be gone already. An attempt may be recorded already: by a
    // commit whose confirmation was lost, or by another process that held the claim meanwhile.
    if (before?.attempt_count !== attempt.number - 1) return []
    // Not later than now: the wall clock may run slower than the measured duration.
    const endedAt = Math.min(attempt.startedAt + attempt.duration_ms, tx.nowMs)
    const verdict = judgeAttempt(attempt, rules, endedAt, Math.random())
    return [{ attempt, verdict, before: before.status }]
  })
  if (judged.length === 0) return []
  await tx.runEach(updateDelivery, judged.map(toDeliveryUpdate))
  await tx.runEach(insertDeliveryAttempt, judged.map(toAttemptRow))
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

function toDeliveryUpdate({ attempt, verdict, before }: JudgedAttempt) {
  const { delivery, number, startedAt, duration_ms, error } = attempt
  return {
    id: delivery.id,
    status: before === 'pending' ? verdict.status : before,
    attempt_count: number,
    due_at: timestampOf(verdict.dueAt),
    last_attempt_at: timestampOf(startedAt),
    response_status: attempt.status,
    duration_ms,
    error,
    completed_at: verdict.status === 'pending' ? null : timestampOf(verdict.dueAt),
  }
}

const toAttemptRow = ({ attempt }: JudgedAttempt) => ({
  delivery_id: attempt.delivery.id,
  number: attempt.number,
  started_at: timestampOf(attempt.startedAt),
  duration_ms: attempt.duration_ms,
  response_status: attempt.status,
  response_body: attempt.body,
  error: attempt.error,
  url: attempt.url,
  headers: JSON.stringify(attempt.headers),
})

/**
 * Summarizes the attempts to one webhook in one activation: failures count from the last success, and
 * unsendable deliveries do not count. `ended` are no longer pending.
 */
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
    ended: all.filter((one) => one.before === 'pending' && one.verdict.status !== 'pending').length,
    succeeded: lastSuccess === -1 ? 0 : 1,
    failures: failed.length,
    failing_since: first ? timestampOf(first.attempt.startedAt) : null,
    last_delivery_at: timeOfLast(() => true),
    last_success_at: timeOfLast(({ error }) => error === null),
    last_failure_at: timeOfLast(({ error }) => error !== null),
  }
}

/** Disables the webhooks whose receiver is gone, or has failed too often and too long. */
async function disableFailingWebhooks(
  tx: WriteTx,
  judged: readonly JudgedAttempt[],
  rules: DeliveryRules,
) {
  const goneAttempts = judged
    .map(({ attempt }) => attempt)
    .filter(({ status }) => status === HTTP_GONE)
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
  const failingIds = failing.map(({ id }) => id).filter((id) => !goneIds.includes(id))
  const disabled = [
    ...goneIds.map((id): DisabledWebhook => ({ id, reason: 'gone' })),
    ...failingIds.map((id): DisabledWebhook => ({ id, reason: 'failures' })),
  ]
  for (const webhook of disabled) await disableWebhook(tx, webhook)
  return disabled
}

/** Status and attempt count of those deliveries that still exist. */
const existingDeliveries = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'status', 'attempt_count'])
    .where(inList('deliveries.id', $.ids)),
)

/** Updates a delivery after an attempt. */
const updateDelivery = command((db, $: Scoped<ReturnType<typeof toDeliveryUpdate>>) =>
  db
    .updateTable('deliveries')
    .set({
      ...pickSlots(
        $,
        'status',
        'attempt_count',
        'due_at',
        'last_attempt_at',
        'response_status',
        'duration_ms',
        'error',
      ),
      completed_at: sql`coalesce(completed_at, ${$.completed_at})`,
    })
    .where('id', '=', $.id),
)

export const insertDeliveryAttempt = command((db, $: Scoped<DeliveryAttemptRow>) =>
  db
    .insertInto('delivery_attempts')
    .values(
      pickSlots(
        $,
        'workspace_id',
        'delivery_id',
        'number',
        'started_at',
        'duration_ms',
        'response_status',
        'response_body',
        'error',
        'url',
        'headers',
      ),
    ),
)

/** Unblocks the next delivery of a lane. */
const releaseNextInLane = command((db, $: Scoped<{ webhook_id: string; lane: string }>) =>
  db
    .updateTable('deliveries')
    .set({ blocked: 0 })
    .where('id', '=', (is) =>
      is
        .selectFrom('deliveries as waiting')
        .select('waiting.id')
        .where('waiting.webhook_id', '=', $.webhook_id)
        .where('waiting.lane', '=', $.lane)
        .where('waiting.status', '=', sql.lit('pending'))
        .where('waiting.blocked', '=', sql.lit(1))
        .orderBy('waiting.sequence')
        .limit(sql.lit(1)),
    ),
)

/** Updates the failure counters of a webhook, and when its next delivery is due. */
const updateWebhookHealth = command(
  (db, $: Scoped<ReturnType<typeof summarizeHealth> & { now: string }>) =>
    db
      .updateTable('webhooks')
      .set({
        failure_count: sql`case when activation <> ${$.activation} then failure_count
        when ${$.succeeded} = 1 then ${$.failures} else failure_count + ${$.failures} end`,
        failing_since: sql`case when activation <> ${$.activation} then failing_since
        when ${$.succeeded} = 1 then ${$.failing_since}
        else coalesce(failing_since, ${$.failing_since}) end`,
        last_delivery_at: sql`coalesce(${$.last_delivery_at}, last_delivery_at)`,
        last_success_at: sql`coalesce(${$.last_success_at}, last_success_at)`,
        last_failure_at: sql`coalesce(${$.last_failure_at}, last_failure_at)`,
        pending_count: sql`pending_count - ${$.ended}`,
        next_due_at: sql`case when has_stale = 1 then ${$.now} else (${earliestDueAt}) end`,
      })
      .where('id', '=', $.id),
)

/** The current URL and activation of some webhooks. */
const currentWebhookUrls = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db.selectFrom('webhooks').select(['id', 'url', 'activation']).where(inList('webhooks.id', $.ids)),
)

/** The active webhooks among some that have failed too often and too long, and must be disabled. */
const webhooksToDisable = query(
  (db, $: Scoped<{ ids: string[]; attempts: number; since: string }>, { inList }) =>
    db
      .selectFrom('webhooks')
      .select('id')
      .where(inList('webhooks.id', $.ids))
      .where('is_active', '=', 1)
      .where('failure_count', '>=', $.attempts)
      .where('failing_since', '<=', $.since),
)
