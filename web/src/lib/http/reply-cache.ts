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
/** The most replies that are cached. */
export const MAX_REPLIES = 3_000
const MAX_REPLY_LENGTH = 1_000_000
/** A read goes on without a cache that opens later than this, or never, as in a damaged profile. */
const OPEN_TIMEOUT_MS = 3_000

/** Since when (ms) shown data may be stale: the time of the oldest reply read from the cache. */
export const staleSince = atom<number | undefined>(undefined)

/** Person and workspace whose replies are cached; undefined if none are. */
let owner: string | undefined
let database: Promise<IDBDatabase> | undefined

const OWNER_KEY = 'docket.kept-place'

/** Sets the person and workspace whose replies are cached from now on. */
export function setReplyCacheOwner(user_id: string, workspace_id: string): void {
  owner = `${user_id} ${workspace_id}`
  localStore.write(OWNER_KEY, owner)
}

/** Lets the next page read nothing from the cache until it knows its person and workspace. */
export function forgetReplyCacheOwner(): void {
  localStore.write(OWNER_KEY, undefined)
}

/** Whether replies are cached; after a sign-out, opening the store would create the deleted database again. */
export const isCaching = (): boolean => owner !== undefined

/** The owner of the cache; until the page has loaded its own, that of the last page. */
const getOwner = (): string | undefined => owner ?? localStore.read(OWNER_KEY)

/** Replies to be written, oldest first, by key: in a burst of changes the same one is fetched repeatedly. */
export const pendingReplies = new Map<string, CachedReply>()

/** Caches replies by name, replacing earlier ones. Failures are ignored. */
export function cacheReplies(
  all: readonly (readonly [name: string, text: string])[],
  at: number = Date.now(),
): void {
  if (owner === undefined) return
  const isFirst = pendingReplies.size === 0
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
  if (isFirst) writeReplies()
}

/** Sets what writes the replies that are to be written, and calls it when there are some. */
export function setReplyWriter(write: () => void): void {
  writeReplies = write
  if (pendingReplies.size > 0) write()
}

let writeReplies = (): void => {}

/** The cached reply of a name. Its age counts as the age of the shown data. */
export async function readCached(name: string): Promise<CachedReply | undefined> {
  const reply = await readReply(name)
  if (reply) markStale(reply.at)
  return reply
}

/** Records that data of a moment (ms) is shown. */
export const markStale = (at: number): void => staleSince.set(Math.min(staleSince.get() ?? at, at))

/** The cached reply of a name. */
export async function readReply(name: string): Promise<CachedReply | undefined> {
  const from = getOwner()
  if (from === undefined) return undefined
  const store = await openReplyStore('readonly')
  return new Promise<CachedReply | undefined>((resolve) => {
    const request = store?.get(`${from} ${name}`)
    if (!request) return resolve(undefined)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(undefined)
  })
}

/** Deletes all cached replies, of everybody, and forgets whose they were. */
export function clearReplyCache(): void {
  forgetReplyCacheOwner()
  owner = undefined
  pendingReplies.clear()
  database?.then((opened) => opened.close()).catch(() => undefined)
  database = undefined
  deleteDatabase(DATABASE_NAME)
}

/** Opens the store; undefined if the browser has none, e.g. in a private window. */
export async function openReplyStore(
  mode: IDBTransactionMode,
): Promise<IDBObjectStore | undefined> {
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
    setTimeout(() => reject(new Error('The replies did not open')), OPEN_TIMEOUT_MS)
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
    request.onblocked = () => reject(new Error('Another tab holds the replies'))
  })
