import { DAY_MS } from '#lib/durations.ts'
import { parseHttpDate } from './http-date.ts'

/** The delays between attempts (docs/spec/api.md#webhook-delivery). */
export interface RetrySchedule {
  /** Seconds from each failure to the next attempt; there is one attempt more than delays. */
  retrySeconds: readonly number[]
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
