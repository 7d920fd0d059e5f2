import { signal } from './signal.ts'

/** A reply as this browser keeps it, to be read without a network. */
export interface Kept {
  key: string
  /** When the server was asked for it, or gave it: ms since 1970. */
  at: number
  size: number
  text: string
}

const NAME = 'docket-kept'
const STORE = 'replies'
const MOST = 3_000
const MOST_LETTERS = 20_000_000
const LARGEST = 1_000_000
const TIDY_EACH = 100
/** A crowd of replies is gathered: writing each at once would cost the page its frames. */
const AT_ONCE = 10
const WAIT_MS = 300

/** Since when (ms) what is shown may be old: the oldest reply that was read from here in place of the server's. */
export const readSince = signal<number | undefined>(undefined)

/** Person and workspace of whom replies are kept; undefined: none are. */
let place: string | undefined
let database: Promise<IDBDatabase> | undefined
let puts = 0
/** How often was written within the last second. */
let lately = 0

const PLACE = 'docket.kept-place'

/** Replies are of this person in this workspace from now on. */
export function keepFor(user_id: string, workspace_id: string): void {
  place = `${user_id} ${workspace_id}`
  localStorage.setItem(PLACE, place)
}

/** The last ones, where the page has not heard yet whose it is. */
const placeNow = (): string | undefined => place ?? localStorage.getItem(PLACE) ?? undefined

/** What is to be kept, by key: under a crowd of changes the same is read again and again. */
const coming = new Map<string, Kept>()

/** Keeps texts by their names, in place of those before. What cannot be kept is not: the network has it. */
export function keepReplies(
  all: readonly (readonly [name: string, text: string])[],
  at: number = Date.now(),
): void {
  if (place === undefined) return
  if (coming.size === 0) setTimeout(() => void write(), lately < AT_ONCE ? 0 : WAIT_MS)
  for (const [name, text] of all) {
    const key = `${place} ${name}`
    if (text.length <= LARGEST) coming.set(key, { key, at, size: text.length, text })
  }
}

// Who reads a page for a moment has it without a network, too.
globalThis.addEventListener?.('pagehide', () => {
  if (coming.size > 0) void write()
})

async function write(): Promise<void> {
  lately += 1
  setTimeout(() => {
    lately -= 1
  }, 1_000)
  const store = await opened('readwrite')
  const all = [...coming.values()]
  coming.clear()
  if (!store) return
  for (const kept of all) {
    // No room: it is not kept.
    store.put(kept).onerror = (event) => event.preventDefault()
  }
  // A page that is being left waits for no answer.
  store.transaction.commit()
  puts += all.length
  if (puts < TIDY_EACH) return
  puts = 0
  await tidy()
}

/** What is kept under a name; what is shown is as old as it is. */
export async function recall(name: string): Promise<Kept | undefined> {
  const from = placeNow()
  if (from === undefined) return undefined
  const store = await opened('readonly')
  const found = await new Promise<Kept | undefined>((resolve) => {
    const asked = store?.get(`${from} ${name}`)
    if (!asked) return resolve(undefined)
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => resolve(undefined)
  })
  if (found) readSince.set(Math.min(readSince.get() ?? found.at, found.at))
  return found
}

/** Nothing stays, of anybody. */
export function forgetReplies(): void {
  place = undefined
  coming.clear()
  database?.then((open) => open.close()).catch(() => undefined)
  database = undefined
  if ('indexedDB' in globalThis) indexedDB.deleteDatabase(NAME)
}

/** Deletes the oldest beyond what may be kept; their texts are not read for it. */
async function tidy(): Promise<void> {
  const store = await opened('readwrite')
  if (!store) return
  let count = 0
  let letters = 0
  const cursor = store.index('age').openKeyCursor(null, 'prev')
  cursor.onsuccess = () => {
    const at = cursor.result
    if (!at) return
    const [, size] = at.key as [number, number]
    count += 1
    letters += size
    if (count > MOST || letters > MOST_LETTERS) store.delete(at.primaryKey)
    at.continue()
  }
}

/** The store, if there is one: a browser may have none, in private windows say. */
async function opened(mode: IDBTransactionMode): Promise<IDBObjectStore | undefined> {
  if (!('indexedDB' in globalThis)) return undefined
  database ??= open()
  try {
    return (await database).transaction(STORE, mode).objectStore(STORE)
  } catch {
    // Closed meanwhile, by a sign-out in another tab say, or never to be had.
    database = undefined
    return undefined
  }
}

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1)
    asked.onupgradeneeded = () => {
      const store = asked.result.createObjectStore(STORE, { keyPath: 'key' })
      store.createIndex('age', ['at', 'size'])
    }
    asked.onsuccess = () => {
      // Another tab signs out: it waits for nobody.
      asked.result.onversionchange = () => {
        asked.result.close()
        place = undefined
      }
      resolve(asked.result)
    }
    asked.onerror = () => reject(asked.error)
    asked.onblocked = () => reject(new Error('The store of replies is held by another tab'))
  })
