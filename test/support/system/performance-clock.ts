import type { TestContext } from 'node:test'

export interface PerformanceClock {
  pass(ms: number): void
}

/**
 * Stops `performance.now()` until the test ends. Only `pass` advances it, so that results do not
 * depend on the speed of the machine. Timers are not affected.
 */
export function stopPerformanceClock(t: TestContext): PerformanceClock {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  return {
    pass(ms) {
      now += ms
    },
  }
}
