import type { Page } from '@playwright/test'
import { expect } from './expect.ts'

/**
 * Undoes the latest change by its key. A picker that closes has the focus for a moment, and what is
 * pressed then belongs to its field.
 */
export async function pressUndo(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Undo/ }).first()).toBeVisible()
  await expect(page.locator('input:focus, textarea:focus')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+z')
}
