import type { Page } from '@playwright/test'

/**
 * Opens another screen of the app as its links do, and waits for its heading. Loading the page
 * anew takes several times as long. The path must differ from the present one.
 */
export async function openScreen(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => {
    for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''
    history.pushState(null, '', address)
  }, address)
  await page.locator('h1:not([data-left])').first().waitFor()
}
