import type { TestContext } from 'node:test'

/**
 * Stops `performance.now()` until the test ends. Only `pass` advances it, so that results do not
 * depend on the speed of the machine. Timers are not affected.
 */
export function stopPerformanceClock(t: TestContext): { pass(ms: number): void } {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  return {
    pass(ms) {
      now += ms
    },
  }
}
