/**
 * The clock of everything that is stored: milliseconds since 1970, never going back within a
 * process, so that ids and the times in their records sort alike. Tests may set `clock.source`.
 */
export const clock = {
  source: Date.now,
  latest: 0,
  now(): number {
    clock.latest = Math.max(clock.latest, clock.source())
    return clock.latest
  },
}

let instant = Number.NaN
let text = ''

/** An instant as stored and returned: RFC 3339 in UTC with three decimals. */
export function timestampOf(ms: number): string {
  if (ms !== instant) {
    text = new Date(ms).toISOString()
    instant = ms
  }
  return text
}
