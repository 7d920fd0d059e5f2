import type { Page } from '@playwright/test'

/**
 * Types as soon as a field has the focus. A key or click opens it, and what is typed before it is
 * there would be taken for shortcuts of the page.
 */
export async function typeInFocusedField(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus, [contenteditable]:focus').waitFor()
  await page.keyboard.type(text)
}
