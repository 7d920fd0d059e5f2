import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { command, insertRow, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import {
  disableWebhook,
  earliestDueAt,
  LANE_BLOCKING_ATTEMPTS,
  noteWebhookChange,
} from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import type { DeliveryAttempt } from '../sending/attempt.ts'

/** Status and attempt count of those deliveries that still exist. */
const existingDeliveries = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'status', 'attempt_count'])
    .where(inList('deliveries.id', $.ids)),
)

type DeliveryUpdate = Pick<
  DeliveryRow,
  | 'id'
  | 'status'
  | 'attempt_count'
  | 'due_at'
  | 'last_attempt_at'
  | 'response_status'
  | 'duration_ms'
  | 'error'
  | 'completed_at'
>

/** Updates a delivery after an attempt. */
const updateDelivery = command((db, $: Scoped<DeliveryUpdate>) =>
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

export const insertDeliveryAttempt = insertRow(
  'delivery_attempts',
  'delivery_id',
  'number',
  'started_at',
  'duration_ms',
  'response_status',
  'response_body',
  'error',
  'url',
  'headers',
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

/**
 * A summary of attempts to a webhook; `failures` and `failing_since` count from the last success.
 */
interface WebhookHealth {
  id: string
  /** Of the deliveries; a later activation of the webhook ignores their results. */
  activation: number
  /** How many are no longer pending. */
  ended: number
  succeeded: number
  failures: number
  failing_since: string | null
  last_delivery_at: string | null
  last_success_at: string | null
  last_failure_at: string | null
  now: string
}

/** Updates the failure counters of a webhook, and when its next delivery is due. */
const updateWebhookHealth = command((db, $: Scoped<WebhookHealth>) =>
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

/** The delays between attempts (docs/spec/api.md#webhook-delivery). */
interface RetrySchedule {
  /** Seconds from each failure to the next attempt; there is one attempt more than delays. */
  retrySeconds: readonly number[]
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
  /** The receiver has answered 410. */
  isGone: boolean
}

/** Judges an attempt that ended at `ended` milliseconds; `random` is in [0, 1). */
function judgeAttempt(
  attempt: DeliveryAttempt,
  schedule: RetrySchedule,
  ended: number,
  random: number,
): AttemptVerdict {
  const { error, number, status, isUnsendable, delivery } = attempt
  const isLast = isUnsendable || delivery.is_test === 1 || status === HTTP_GONE
  const delay = isLast
    ? undefined
    : retryDelay(schedule, number, retryAfterMs(attempt.retry_after, ended), random)
  const isOver = error === null || delay === undefined
  return {
    status: error === null ? 'succeeded' : isOver ? 'failed' : 'pending',
    dueAt: isOver ? ended : ended + delay,
    releasesLane:
      delivery.lane !== null &&
      number <= LANE_BLOCKING_ATTEMPTS &&
      (isOver || number === LANE_BLOCKING_ATTEMPTS),
    isGone: status === HTTP_GONE,
  }
}

/** Delays grow by up to this fraction, so that deliveries that failed together are spread. */
const JITTER = 0.2

/**
 * Milliseconds from a failed attempt, the `number`th, to the next; undefined after the last. A
 * receiver's Retry-After can put it off, by a day at most. `random` is from 0 up to 1.
 */
export function retryDelay(
  { retrySeconds }: RetrySchedule,
  number: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const seconds = retrySeconds[number - 1]
  if (seconds === undefined) return undefined
  const delay = Math.round(seconds * 1000 * (1 + JITTER * random))
  return Math.max(delay, Math.min(retryAfter ?? 0, DAY_MS))
}

/**
 * Milliseconds requested by a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3);
 * Infinity if the number is too large.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(date - now, 0)
}

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const MONTH = `(?<month>${MONTHS})`
const DAY = '(?<day>\\d\\d)'
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const FORMATS = [
  `${NAME}, ${DAY} ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_NAME}, ${DAY}-${MONTH}-(?<short>\\d\\d) ${TIME} GMT`,
  `${NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`,
].map((format) => new RegExp(`^${format}$`))

/**
 * Parses a date in one of the three HTTP formats (RFC 9110, 5.6.7), all of them in GMT, to
 * milliseconds since 1970; undefined for anything else. A two-digit year is the latest such
 * year that is at most 50 years after `now`. A wrong name of the day is ignored.
 */
function parseHttpDate(text: string, now: number): number | undefined {
  for (const format of FORMATS) {
    const fields = format.exec(text)?.groups
    if (fields) return toMillis(fields, now)
  }
  return undefined
}

function toMillis(fields: Record<string, string | undefined>, now: number): number | undefined {
  const { year, short, month = '' } = fields
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(
    (name) => Number(fields[name]),
  )
  const index = MONTHS.split('|').indexOf(month)
  const fullYear = year === undefined ? expandYear(Number(short), now) : Number(year)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, index, day)
  const isDay = date.getUTCMonth() === index && date.getUTCDate() === day
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined
  return date.setUTCHours(hour, minute, second)
}

function expandYear(short: number, now: number): number {
  const last = new Date(now).getUTCFullYear() + 50
  return last - ((((last - short) % 100) + 100) % 100)
}

/** When attempts are retried, and when a webhook that keeps failing is disabled. */
export interface DeliveryRules extends RetrySchedule {
  disableAfterSeconds: number
  disableAfterAttempts: number
}

/** What docs/spec/api.md#webhook-delivery promises: attempts for some three days, and disabled after three. */
export const DELIVERY_RULES: DeliveryRules = {
  retrySeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  disableAfterSeconds: 259_200,
  disableAfterAttempts: 20,
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
