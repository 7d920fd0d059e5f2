import type { Clock } from '#lib/clock.ts'

/** A clock that only moves when a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void
  /** Sets the time, forwards or backwards. */
  set(ms: number): void
}

/**
 * Starts at the real time of its first use. Sessions and keys expire by the real time, so those
 * that a clock set to the past creates may have expired already.
 */
export function createTestClock(): TestClock {
  let time: number | undefined
  const now = () => {
    time ??= Date.now()
    return time
  }
  return {
    now,
    advance(ms) {
      time = now() + ms
    },
    set(ms) {
      time = ms
    },
  }
}
