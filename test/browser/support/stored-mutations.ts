import type { Page } from '@playwright/test'

/** How many unsent mutations the browser stores. */
export const countStoredMutations = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    indexedDB.open('docket-mutations').onsuccess = ({ target }) => {
      const { result } = target as IDBOpenDBRequest
      const entries = result.transaction('entries').objectStore('entries').count()
      entries.onsuccess = () => {
        result.close()
        resolve(entries.result)
      }
    }
    return promise
  })

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
