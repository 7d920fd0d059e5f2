import type { Page } from '@playwright/test'

/** How many unsent mutations the browser stores. */
export const countStoredMutations = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    indexedDB.open('docket-mutations').onsuccess = ({ target }) => {
      const { result } = target as IDBOpenDBRequest
      const count = result.transaction('entries').objectStore('entries').count()
      count.onsuccess = () => {
        result.close()
        resolve(count.result)
      }
    }
    return promise
  })
