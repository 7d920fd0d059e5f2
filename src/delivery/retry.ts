import { httpDate } from './http-date.ts'

/** When attempts follow one another (contract 8.5). */
export interface Schedule {
  /** Seconds after each failure until the next attempt; one attempt more than there are of them. */
  retrySeconds: readonly number[]
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Retries are lengthened by up to this part, so that what failed together does not come together. */
const JITTER = 0.2

/**
 * Milliseconds from a failed attempt, the `number`th, to the next; undefined after the last. A
 * receiver's Retry-After can put it off, by a day at most. `random` is from 0 up to 1.
 */
export function retryDelay(
  { retrySeconds }: Schedule,
  number: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const seconds = retrySeconds[number - 1]
  if (seconds === undefined) return undefined
  const own = Math.round(seconds * 1000 * (1 + JITTER * random))
  return Math.max(own, Math.min(retryAfter ?? 0, DAY_MS))
}

/**
 * Milliseconds that a Retry-After header asks for, in seconds or as a date (RFC 9110, 10.2.3); Infinity
 * for more of them than can be counted.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = httpDate(text, now)
  return date === undefined ? undefined : Math.max(date - now, 0)
}
