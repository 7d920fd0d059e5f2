import { LANE_BLOCKING_ATTEMPTS } from '#db/deliveries/delivery-queue.ts'
import { DAY_MS } from '#lib/durations.ts'
import type { DeliveryAttempt } from '../sending/attempt.ts'

/** The delays between attempts (docs/spec/api.md#webhook-delivery). */
export interface RetrySchedule {
  /** Seconds from each failure to the next attempt; there is one attempt more than delays. */
  retrySeconds: readonly number[]
}

/** The receiver no longer exists (RFC 9110, 15.5.11). */
export const HTTP_GONE = 410

/** The consequence of an attempt for its delivery. */
export interface AttemptVerdict {
  status: 'pending' | 'succeeded' | 'failed'
  /** Milliseconds since 1970 of the next attempt, or of the end if there is none. */
  dueAt: number
  /** Whether the next delivery of its lane may be sent (docs/spec/api.md#guarantees-of-events). */
  releasesLane: boolean
  /** The receiver has answered 410. */
  isGone: boolean
}

/** Judges an attempt that ended at `ended` milliseconds; `random` is in [0, 1). */
export function judgeAttempt(
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
