import type { Page } from '@playwright/test'
import { expect } from '../expect.ts'

/** Keeps the toast with the latest Undo, which ends after eight seconds, under the pointer. */
export const holdUndo = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Undo/ }).last().hover()

/**
 * Undoes the latest change by its key. A picker that closes has the focus for a moment, and what is
 * pressed then belongs to it.
 */
export async function pressUndo(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Undo/ }).first()).toBeVisible()
  const focus = 'input:focus, textarea:focus, [data-overlay]:focus, [data-overlay] :focus'
  await expect(page.locator(focus)).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+z')
}
