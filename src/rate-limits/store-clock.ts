/** The clock by which all processes that share a store count minutes. */
export interface StoreClock {
  /** Milliseconds since 1970, by this process's own clock until the time of the store is known. */
  now(): number
  /** Follows the time of the store. */
  follow(storeMs: number): void
}

/** An answer may arrive this late, because the process was busy. */
const MAX_DELAY_MS = 2_000

/**
 * Creates a clock that follows that of a store: processes whose own clocks differ would count in
 * different minutes, and each would admit the whole limit. Between two answers of the store it goes
 * on by the monotonic time of the process, so that a jump of the own clock changes nothing either.
 */
export function createStoreClock(ownClock: () => number): StoreClock {
  let known: { ms: number; at: number } | undefined
  const now = () => (known ? known.ms + performance.now() - known.at : ownClock())
  return {
    now,
    follow(storeMs) {
      const ahead = now() - storeMs
      // Answers arrive late, so that the latest time is the best, unless the store's clock was set back.
      if (known && ahead >= 0 && ahead <= MAX_DELAY_MS) return
      known = { ms: storeMs, at: performance.now() }
    },
  }
}
