import type { Page } from '@playwright/test'

/**
 * Presses the keys of a sequence such as `g i`. They are sent together: each has to follow the one
 * before within a second, however busy the machine is.
 */
export async function pressSequence(page: Page, keys: string): Promise<void> {
  await Promise.all([...keys].map((key) => page.keyboard.press(key)))
}
