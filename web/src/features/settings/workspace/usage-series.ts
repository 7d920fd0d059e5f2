/** A minute with requests to the workspace (`GET /internal/workspace/usage`). */
export interface UsageMinute {
  /** The start of the minute, RFC 3339. */
  at: string
  used: number
  refused: number
}

/** The usage of several minutes in a row. */
export interface UsageSpan {
  /** ms since 1970. */
  from: number
  /** The highest number of requests in one minute. */
  peak: number
  sum: number
  /** The number of rejected requests. */
  refused: number
}

const MINUTE_MS = 60_000
const MINUTES_PER_DAY = 1440

/**
 * Groups the last 24 hours into spans of `width` minutes, oldest first. The last one contains
 * `now`. Minutes that are not in the response had no requests.
 */
export function toUsageSpans(
  minutes: readonly UsageMinute[],
  width: number,
  now: number,
): UsageSpan[] {
  const count = MINUTES_PER_DAY / width
  const spanMs = width * MINUTE_MS
  const last = Math.floor(now / spanMs) * spanMs
  const first = last - (count - 1) * spanMs
  const spans = Array.from({ length: count }, (_, index) => ({
    from: first + index * spanMs,
    peak: 0,
    sum: 0,
    refused: 0,
  }))
  for (const { at, used, refused } of minutes) {
    const span = spans[Math.floor((Date.parse(at) - first) / spanMs)]
    if (!span) continue
    span.peak = Math.max(span.peak, used)
    span.sum += used
    span.refused += refused
  }
  return spans
}

/** The minute with the most requests, the earliest of equal ones; undefined without any. */
export const findBusiestMinute = (minutes: readonly UsageMinute[]): UsageMinute | undefined =>
  minutes.reduce<UsageMinute | undefined>(
    (best, one) => (one.used > (best?.used ?? 0) ? one : best),
    undefined,
  )

/** Rounds up to the end of an axis: 1, 2, 4 or 10 times a power of ten, so that its middle is a number, too. */
export function roundUpToAxisStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 2, 4, 10].find((step) => step * power >= value) ?? 10) * power
}
