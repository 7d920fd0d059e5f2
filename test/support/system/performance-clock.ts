import type { TestContext } from 'node:test'

export interface PerformanceClock {
  pass(ms: number): void
}

/** The latest time that a stopped clock has shown. */
let latest = 0

/**
 * Stops `performance.now()` until the test ends. Only `pass` advances it, so that results do not
 * depend on the speed of the machine. It never shows an earlier time than in a test before. Timers
 * are not affected. A server that has seen it is of no use to tests with the real clock, which is
 * behind: such tests start one of their own.
 */
export function stopPerformanceClock(t: TestContext): PerformanceClock {
  let now = Math.max(performance.now(), latest)
  t.mock.method(performance, 'now', () => now)
  return {
    pass(ms) {
      now += ms
      latest = now
    },
  }
}
