/** One minute in which the workspace was asked for something (`GET /internal/workspace/usage`). */
export interface Minute {
  /** Its begin, RFC 3339. */
  at: string
  used: number
  refused: number
}

/** A stretch of minutes: the most that a minute of it used, and all that was refused. */
export interface Span {
  from: number
  peak: number
  sum: number
  refused: number
}

const MINUTE_MS = 60_000

/**
 * The last 24 hours in stretches of so many minutes, oldest first; the last one holds `now`. Minutes
 * without use are not in the reply and count as nothing.
 */
export function spansOf(minutes: readonly Minute[], width: number, now: number): Span[] {
  const count = 1440 / width
  const length = width * MINUTE_MS
  const last = Math.floor(now / length) * length
  const first = last - (count - 1) * length
  const spans = Array.from({ length: count }, (_, at) => ({
    from: first + at * length,
    peak: 0,
    sum: 0,
    refused: 0,
  }))
  for (const { at, used, refused } of minutes) {
    const span = spans[Math.floor((Date.parse(at) - first) / length)]
    if (!span) continue
    span.peak = Math.max(span.peak, used)
    span.sum += used
    span.refused += refused
  }
  return spans
}

/** The highest minute of all, the earliest of equals; undefined where nothing was used. */
export const busiest = (minutes: readonly Minute[]): Minute | undefined =>
  minutes.reduce<Minute | undefined>(
    (best, one) => (one.used > (best?.used ?? 0) ? one : best),
    undefined,
  )

/** The end of an axis that holds a value: 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}
