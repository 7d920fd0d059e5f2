import type { Page } from '@playwright/test'
import type { BrowserFixture } from './browser-test.ts'

/** What a browser says about requests that its network or a test has cut off. */
export const CONNECTION_ERRORS = /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET)|net::/

/**
 * Opens the list of the project and waits for a task; leaving the page with unsent writes is
 * confirmed automatically.
 */
export async function openList(
  { as, team, allow }: BrowserFixture,
  taskTitle: string,
): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText(taskTitle, { exact: true }).waitFor()
  // The last code that the list shows by itself: a network that is cut before would break that part.
  await page.getByRole('button', { name: 'Saved views' }).waitFor()
  return page
}
