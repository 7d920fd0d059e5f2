import type { TestContext } from 'node:test'

/**
 * Stops `performance.now()` until the test ends: time passes only by `pass`, so that it is the same on
 * a machine that is slow. Timers go on as ever.
 */
export function stoppedTime(t: TestContext): { pass(ms: number): void } {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  return {
    pass(ms) {
      now += ms
    },
  }
}
