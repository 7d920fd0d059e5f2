import type { Clock } from '#lib/clock.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void
  /** Moves it to a time, also back. */
  set(ms: number): void
}

/**
 * Begins with the real time of its first use: sessions and keys are judged by the real time, so that
 * those which such a clock dates into the past may have ended.
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
