import type { Page } from '@playwright/test'

/** An unsent mutation as the browser stores it, with what tests look at. */
export interface StoredEntry {
  label: string
  payload: { kind: string; change?: { from: { short_id: string } } }
  refusal?: { text: string | undefined }
}

/** The unsent mutations that the browser stores. */
export const readStoredMutations = (page: Page): Promise<StoredEntry[]> =>
  page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<StoredEntry[]>()
    indexedDB.open('docket-mutations').onsuccess = ({ target }) => {
      const { result } = target as IDBOpenDBRequest
      const entries = result.transaction('entries').objectStore('entries').getAll()
      entries.onsuccess = () => {
        result.close()
        resolve(entries.result)
      }
    }
    return promise
  })

/** How many unsent mutations the browser stores. */
export const countStoredMutations = async (page: Page): Promise<number> =>
  (await readStoredMutations(page)).length
