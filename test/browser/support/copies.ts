import type { Page } from '@playwright/test'
import { expect } from './expect.ts'

/** Waits until the browser has kept replies whose names match; one of a project ends with ` tasks <id>`. */
export const waitForCopies = (page: Page, names: readonly RegExp[]): Promise<void> =>
  expect
    .poll(async () => {
      const copies = Object.keys(await page.evaluate(readCopies))
      return names.every((name) => copies.some((key) => name.test(key)))
    })
    .toBe(true)

/** Runs in the page: the texts of the kept replies by their names. */
export async function readCopies(): Promise<Record<string, string>> {
  const isThere = (await indexedDB.databases()).some(({ name }) => name === 'docket-kept')
  if (!isThere) return {}
  const request = indexedDB.open('docket-kept')
  await new Promise((resolve) => request.addEventListener('success', resolve))
  const all = request.result.transaction('replies').objectStore('replies').getAll()
  await new Promise((resolve) => all.addEventListener('success', resolve))
  request.result.close()
  return Object.fromEntries(all.result.map(({ key, text }) => [key, text]))
}
