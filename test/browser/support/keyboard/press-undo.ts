import type { Page } from '@playwright/test'
import { waitForPageFocus } from './wait-for-page-focus.ts'

/** Keeps the toast with the latest Undo, which ends after eight seconds, under the pointer. */
export const holdUndo = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Undo/ }).last().hover()

/**
 * Undoes the latest change by its key, which works also when its toast has ended. What the change has
 * done must be seen before; a deletion that waits for the end of its toast must be held.
 */
export async function pressUndo(page: Page): Promise<void> {
  await waitForPageFocus(page)
  await page.keyboard.press('ControlOrMeta+z')
}
