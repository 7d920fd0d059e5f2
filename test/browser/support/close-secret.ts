import type { Locator, Page } from '@playwright/test'
import { expect } from './expect.ts'

/** Leaves a secret that was just copied. Until the browser has copied it, leaving asks first. */
export async function closeCopiedSecret(within: Page | Locator): Promise<void> {
  await expect(within.getByText('You have not copied it yet.')).toBeHidden()
  await within.getByRole('button', { name: 'Done' }).click()
}
