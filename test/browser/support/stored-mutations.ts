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

/** Stores an unsent mutation as a page of another workspace leaves it in this browser. */
export const storeUnsentMutation = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const request = indexedDB.open('docket-mutations', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('entries', { keyPath: 'key' })
    request.onsuccess = () => {
      const transaction = request.result.transaction('entries', 'readwrite')
      transaction.objectStore('entries').put({ key: 'unsent' })
      transaction.oncomplete = () => {
        request.result.close()
        resolve()
      }
    }
    return promise
  })
