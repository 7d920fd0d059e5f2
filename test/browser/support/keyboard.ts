import type { Page } from '@playwright/test'
import { expect } from './expect.ts'

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/**
 * Presses the keys of a sequence such as `g i`. They are sent together: each has to follow the one
 * before within a second, however busy the machine is.
 */
export async function pressSequence(page: Page, keys: string): Promise<void> {
  await Promise.all([...keys].map((key) => page.keyboard.press(key)))
}

/**
 * Types as soon as a field has the focus. A key or click opens it, and what is typed before it is
 * there would be taken for shortcuts of the page.
 */
export async function typeInFocusedField(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus, [contenteditable]:focus').waitFor()
  await page.keyboard.type(text)
}

const FOCUS =
  'input:focus, textarea:focus, [contenteditable]:focus, [data-overlay]:focus, [data-overlay] :focus'

/**
 * Waits until keys belong to the page: a picker that closes has the focus for a moment, and what is
 * pressed then belongs to it.
 */
export const waitForPageFocus = (page: Page): Promise<void> =>
  expect(page.locator(FOCUS)).toHaveCount(0)

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
