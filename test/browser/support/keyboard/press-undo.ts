import type { Page } from '@playwright/test'
import { expect } from '../expect.ts'
import { waitForPageFocus } from './wait-for-page-focus.ts'

/** Keeps the toast with the latest Undo, which ends after eight seconds, under the pointer. */
export const holdUndo = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Undo/ }).last().hover()

/** Undoes the latest change by its key. */
export async function pressUndo(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Undo/ }).first()).toBeVisible()
  await waitForPageFocus(page)
  await page.keyboard.press('ControlOrMeta+z')
}
