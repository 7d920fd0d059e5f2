/** A storage of the browser that throws nothing. */
interface BrowserStorage {
  read(key: string): string | undefined
  /** Stores a value, or removes it if it is undefined. Returns false if the browser cannot. */
  write(key: string, value: string | undefined): boolean
  keys(): string[]
}

/**
 * Guards a storage: a browser that blocks site data throws at the mere access to it, and a full
 * storage at each write. What it contains are preferences and drafts, without which the app works.
 */
export function guardStorage(open: () => Storage): BrowserStorage {
  const attempt = <T>(use: (storage: Storage) => T, otherwise: T): T => {
    try {
      return use(open())
    } catch {
      return otherwise
    }
  }
  return {
    read: (key) => attempt((storage) => storage.getItem(key), null) ?? undefined,
    write: (key, value) =>
      attempt((storage) => {
        if (value === undefined) storage.removeItem(key)
        else storage.setItem(key, value)
        return true
      }, false),
    keys: () => attempt((storage) => Object.keys(storage), []),
  }
}

/** What this browser keeps, for all tabs. */
export const localStore = guardStorage(() => localStorage)
/** What this tab keeps. */
export const tabStore = guardStorage(() => sessionStorage)

/** Deletes a database of this browser, if it has any: one that blocks site data throws instead. */
export function deleteDatabase(name: string): void {
  try {
    if ('indexedDB' in globalThis) indexedDB.deleteDatabase(name)
  } catch {
    // Then there is nothing to delete.
  }
}
