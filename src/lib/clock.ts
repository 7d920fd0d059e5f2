/** The clock of stored times, in milliseconds since 1970. */
export interface Clock {
  now(): number
}

/** Smaller steps back are usual corrections by a time server. */
const MIN_SET_BACK_MS = 5_000

/**
 * Creates a clock that never goes back, so that ids and the times in their records keep the same
 * order even if the system time is set back. It stands still until the system time has caught up,
 * and calls `onSetBack` once with the difference.
 */
export function createClock(
  source: () => number = Date.now,
  onSetBack: (ms: number) => void = () => {},
): Clock {
  let latest = 0
  let isSetBack = false
  return {
    now() {
      const time = source()
      if (time >= latest) isSetBack = false
      else if (!isSetBack && latest - time > MIN_SET_BACK_MS) {
        isSetBack = true
        onSetBack(latest - time)
      }
      latest = Math.max(latest, time)
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
