import type { Locator, Page } from '@playwright/test'
import { expect } from '../support/expect.ts'

/** How fast the installed clock of a page runs besides the real time, in milliseconds. */
interface FastClock {
  count?: number
  stepMs?: number
  everyMs?: number
  /** How often the clock is advanced at most. */
  steps?: number
}

/**
 * Waits for the number of elements while the clock of the page runs fast. After a minute of that clock
 * without a message a page connects, and reads, anew: a test that forbids it needs few steps.
 */
export const expectWithFastClock = (
  page: Page,
  wanted: Locator,
  { count = 1, stepMs = 2_000, everyMs = 100, steps = Number.POSITIVE_INFINITY }: FastClock = {},
) => {
  let left = steps
  return expect
    .poll(
      async () => {
        if (left > 0) await page.clock.fastForward(stepMs)
        left -= 1
        return wanted.count()
      },
      { intervals: [everyMs] },
    )
    .toBe(count)
}
