const MINUTE_MS = 60_000

/**
 * Values by minute and name. A minute is kept until the one after the next begins, because a
 * request for it from another process may arrive after the next has begun.
 */
export function createRecentMinutes<T>(): (end: number) => Map<string, T> {
  let minutes = new Map<number, Map<string, T>>()
  return (end) => {
    let values = minutes.get(end)
    if (!values) {
      values = new Map()
      minutes = new Map([...minutes].filter(([other]) => Math.abs(other - end) <= MINUTE_MS))
      minutes.set(end, values)
    }
    return values
  }
}
