/** Tells the time of what is stored: milliseconds since 1970. */
export interface Clock {
  now(): number
}

/**
 * A clock that never goes back, so that ids and the times in their records sort alike also after the
 * time of the machine was set back.
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
