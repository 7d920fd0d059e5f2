const MINUTE_MS = 60_000

/**
 * Values by minute and name. A minute is kept until the one after the next begins, because a
 * request for it from another process may arrive after the next has begun.
 */
function createRecentMinutes<T>(): (end: number) => Map<string, T> {
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

/** A count with a name, and how far it may go in a minute. */
export interface NamedLimit {
  name: string
  limit: number
}

/** A request to be counted. */
export interface SpendRequest extends NamedLimit {
  /** The end of the minute in milliseconds since 1970. */
  end: number
  /**
   * A limit within the limit, such as that of a single API key. The request is counted in both, or
   * in neither if either is reached. A name always belongs to the same outer limit.
   */
  sublimit?: NamedLimit | undefined
}

/** The counts after a request: unchanged if it was not admitted. */
export interface SpendResult {
  /** The limit that was reached; undefined if the request is admitted. */
  refusedBy: 'limit' | 'sublimit' | undefined
  used: number
  /**
   * 0 without a sublimit. It may be too high once the outer limit is reached, which then refuses
   * all requests anyway.
   */
  sublimitUsed: number
}

/** Counts requests by name and minute, in this process or in all processes that share a store. */
export interface RateLimitCounter {
  spend(request: SpendRequest): SpendResult | Promise<SpendResult>
}

/** The end of the minute that contains `now`. */
export const endOfMinute = (now: number): number => endOfWindow(now, MINUTE_MS)

/** The end of the window that contains `now`; windows of a length follow each other since 1970. */
export const endOfWindow = (now: number, windowMs: number): number =>
  (Math.floor(now / windowMs) + 1) * windowMs

/** A counter that answers synchronously. */
interface MemoryCounter {
  spend(request: SpendRequest): SpendResult
}

/** Counts in the memory of this process. */
export function createMemoryCounter(): MemoryCounter {
  const countsOf = createRecentMinutes<number>()
  return {
    spend({ name, end, limit, sublimit }) {
      const counts = countsOf(end)
      const used = counts.get(name) ?? 0
      const sublimitUsed = (sublimit && counts.get(sublimit.name)) ?? 0
      if (used >= limit) return { refusedBy: 'limit', used, sublimitUsed }
      if (sublimit && sublimitUsed >= sublimit.limit) {
        return { refusedBy: 'sublimit', used, sublimitUsed }
      }
      counts.set(name, used + 1)
      if (!sublimit) return { refusedBy: undefined, used: used + 1, sublimitUsed }
      counts.set(sublimit.name, sublimitUsed + 1)
      return { refusedBy: undefined, used: used + 1, sublimitUsed: sublimitUsed + 1 }
    },
  }
}
