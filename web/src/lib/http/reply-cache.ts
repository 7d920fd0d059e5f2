import { runWhenIdle } from '../browser/run-when-idle.ts'
import { atom } from '../state/atom.ts'
import { deleteDatabase, localStore } from '../state/browser-storage.ts'

/** A reply as it is stored in IndexedDB, for use without a network. */
export interface CachedReply {
  key: string
  /** When it was requested or received, in ms since 1970. */
  at: number
  size: number
  text: string
}

const DATABASE_NAME = 'docket-kept'
const STORE_NAME = 'replies'
const MAX_REPLIES = 3_000
const MAX_TOTAL_LENGTH = 20_000_000
const MAX_REPLY_LENGTH = 1_000_000
/**
 * After this many writes the oldest replies are evicted in the next pause. That reads the ages of all
 * replies, which would drop frames of a list that is scrolled.
 */
const EVICTION_INTERVAL_WRITES = 100
const EVICTION_PAUSE_MS = 3_000
/** Without a pause they are evicted after this many writes. */
const MAX_WRITES_BEFORE_EVICTION = 1_000
/** Replies are written when the browser is idle, or so many after this time: each takes part of a frame. */
const MAX_WRITES_AT_ONCE = 20
const MAX_WRITE_DELAY_MS = 1_000
/** A read goes on without a cache that opens later than this, or never, as in a damaged profile. */
const OPEN_TIMEOUT_MS = 3_000

/** Since when (ms) shown data may be stale: the time of the oldest reply read from the cache. */
export const staleSince = atom<number | undefined>(undefined)

/** Person and workspace whose replies are cached; undefined if none are. */
let owner: string | undefined
let database: Promise<IDBDatabase> | undefined
let writesSinceEviction = 0
let evictionTimer: ReturnType<typeof setTimeout> | undefined

const OWNER_KEY = 'docket.kept-place'

/** Sets the person and workspace whose replies are cached from now on. */
export function setReplyCacheOwner(user_id: string, workspace_id: string): void {
  owner = `${user_id} ${workspace_id}`
  localStore.write(OWNER_KEY, owner)
}

/** The owner of the cache; until the page has loaded its own, that of the last page. */
const getOwner = (): string | undefined => owner ?? localStore.read(OWNER_KEY)

/** Replies to be written, oldest first, by key: in a burst of changes the same one is fetched repeatedly. */
const pendingReplies = new Map<string, CachedReply>()

/** Caches replies by name, replacing earlier ones. Failures are ignored. */
export function cacheReplies(
  all: readonly (readonly [name: string, text: string])[],
  at: number = Date.now(),
): void {
  if (owner === undefined) return
  if (pendingReplies.size === 0) runWhenIdle(writeNext, MAX_WRITE_DELAY_MS)
  for (const [name, text] of all) {
    const key = `${owner} ${name}`
    pendingReplies.delete(key)
    if (text.length <= MAX_REPLY_LENGTH)
      pendingReplies.set(key, { key, at, size: text.length, text })
  }
  for (const key of pendingReplies.keys()) {
    if (pendingReplies.size <= MAX_REPLIES) break
    pendingReplies.delete(key)
  }
}

// Writes the rest before the page unloads.
globalThis.addEventListener?.('pagehide', () => void writePending())

async function writeNext(): Promise<void> {
  await writePending(MAX_WRITES_AT_ONCE)
  if (pendingReplies.size > 0) runWhenIdle(writeNext, MAX_WRITE_DELAY_MS)
}

async function writePending(count = MAX_REPLIES): Promise<void> {
  // After a sign-out, opening the store would create the deleted database again.
  if (pendingReplies.size === 0) return
  const store = await openStore('readwrite')
  const all = [...pendingReplies.values()].slice(0, count)
  for (const { key } of all) pendingReplies.delete(key)
  if (!store) return
  for (const kept of all) {
    // The quota is exceeded: this reply is not cached, the others are.
    store.put(kept).onerror = (event) => event.preventDefault()
  }
  // A page that unloads does not live until an implicit commit.
  store.transaction.commit()
  writesSinceEviction += all.length
  clearTimeout(evictionTimer)
  if (writesSinceEviction < EVICTION_INTERVAL_WRITES) return
  if (writesSinceEviction >= MAX_WRITES_BEFORE_EVICTION) await evictOldest()
  else evictionTimer = setTimeout(() => void evictOldest(), EVICTION_PAUSE_MS)
}

/** The cached reply of a name. Its age counts as the age of the shown data. */
export async function readCached(name: string): Promise<CachedReply | undefined> {
  const from = getOwner()
  if (from === undefined) return undefined
  const store = await openStore('readonly')
  const reply = await new Promise<CachedReply | undefined>((resolve) => {
    const request = store?.get(`${from} ${name}`)
    if (!request) return resolve(undefined)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(undefined)
  })
  if (reply) staleSince.set(Math.min(staleSince.get() ?? reply.at, reply.at))
  return reply
}

/** Deletes all cached replies, of everybody. */
export function clearReplyCache(): void {
  owner = undefined
  pendingReplies.clear()
  database?.then((opened) => opened.close()).catch(() => undefined)
  database = undefined
  deleteDatabase(DATABASE_NAME)
}

/** Deletes the oldest replies beyond the limits, by an index that does not read their texts. */
async function evictOldest(): Promise<void> {
  writesSinceEviction = 0
  // The same holds for a sign-out in the pause before this.
  const store = owner === undefined ? undefined : await openStore('readwrite')
  if (!store) return
  let count = 0
  let totalLength = 0
  const cursor = store.index('age').openKeyCursor(null, 'prev')
  cursor.onsuccess = () => {
    const at = cursor.result
    if (!at) return
    const [, size] = at.key as [number, number]
    count += 1
    totalLength += size
    if (count > MAX_REPLIES || totalLength > MAX_TOTAL_LENGTH) store.delete(at.primaryKey)
    at.continue()
  }
}

/** Opens the store; undefined if the browser has none, e.g. in a private window. */
async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore | undefined> {
  if (!('indexedDB' in globalThis)) return undefined
  database ??= openDatabase()
  try {
    return (await database).transaction(STORE_NAME, mode).objectStore(STORE_NAME)
  } catch {
    // It was closed meanwhile, e.g. by a sign-out in another tab, or could not be opened.
    database = undefined
    return undefined
  }
}

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('The store of replies did not open')), OPEN_TIMEOUT_MS)
    const request = indexedDB.open(DATABASE_NAME, 1)
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(STORE_NAME, { keyPath: 'key' })
      store.createIndex('age', ['at', 'size'])
    }
    request.onsuccess = () => {
      // Another tab deletes the database on signing out and must not be blocked.
      request.result.onversionchange = () => {
        request.result.close()
        owner = undefined
      }
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('The store of replies is held by another tab'))
  })
