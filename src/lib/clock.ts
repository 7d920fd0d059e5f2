/** The clock of stored times, in milliseconds since 1970. */
export interface Clock {
  now(): number
}

/**
 * Creates a clock that never goes back, so that ids and the times in their records keep the same
 * order even if the system time is set back.
 */
export function createClock(source: () => number = Date.now): Clock {
  let latest = 0
  return {
    now() {
      latest = Math.max(latest, source())
      return latest
    },
  }
}

let cachedMs = Number.NaN
let cachedText = ''

/** The stored form of a time: RFC 3339 in UTC with three decimals. */
export function timestampOf(ms: number): string {
  if (ms !== cachedMs) {
    cachedText = new Date(ms).toISOString()
    cachedMs = ms
  }
  return cachedText
}
