import type { Page } from '@playwright/test'
import { expect } from '../expect.ts'

const FOCUS =
  'input:focus, textarea:focus, [contenteditable]:focus, [data-overlay]:focus, [data-overlay] :focus'

/**
 * Waits until keys belong to the page: a picker that closes has the focus for a moment, and what is
 * pressed then belongs to it.
 */
export const waitForPageFocus = (page: Page): Promise<void> =>
  expect(page.locator(FOCUS)).toHaveCount(0)
