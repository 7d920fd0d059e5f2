import type { Locator, Page } from '@playwright/test'
import { expect } from '../support/expect.ts'

/** Waits for the number of elements while the clock of the page runs twenty times as fast. */
export const expectWithFastClock = (page: Page, wanted: Locator, count = 1) =>
  expect
    .poll(
      async () => {
        await page.clock.fastForward(2_000)
        return wanted.count()
      },
      { intervals: [100] },
    )
    .toBe(count)
