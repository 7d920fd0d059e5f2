import { runWhenIdle } from '../browser/run-when-idle.ts'
import {
  type CachedReply,
  isCaching,
  MAX_REPLIES,
  openReplyStore,
  pendingReplies,
  setReplyWriter,
} from './reply-cache.ts'

/** Some 100,000 tasks. */
const MAX_TOTAL_LENGTH = 80_000_000
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

let writesSinceEviction = 0
let evictionTimer: ReturnType<typeof setTimeout> | undefined

/** Writes the replies of the page from now on, in pauses of the browser and before the page unloads. */
export function startReplyWriter(): void {
  addEventListener('pagehide', () => void writePending())
  setReplyWriter(() => runWhenIdle(writeNext, MAX_WRITE_DELAY_MS))
}

/** The keys of all replies that are stored, of whichever person and workspace. */
export async function listReplyKeys(): Promise<readonly string[]> {
  const request = (await openStoreOfOwner('readonly'))?.getAllKeys()
  return request ? ((await toPromise(request)) as string[]) : []
}

/** The stored replies of these keys. */
export async function readReplies(keys: readonly string[]): Promise<CachedReply[]> {
  const store = await openStoreOfOwner('readonly')
  if (!store) return []
  const replies = await Promise.all(keys.map((key) => toPromise(store.get(key))))
  return replies.filter((reply) => reply !== undefined)
}

/** Deletes stored replies, and those that are about to be stored. */
export async function deleteCachedReplies(keys: readonly string[]): Promise<void> {
  for (const key of keys) pendingReplies.delete(key)
  if (keys.length === 0) return
  const store = await openStoreOfOwner('readwrite')
  for (const key of keys) store?.delete(key)
}

const toPromise = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** After a sign-out, opening the store would create the deleted database again. */
const openStoreOfOwner = async (mode: IDBTransactionMode): Promise<IDBObjectStore | undefined> =>
  isCaching() ? openReplyStore(mode) : undefined

async function writeNext(): Promise<void> {
  await writePending(MAX_WRITES_AT_ONCE)
  if (pendingReplies.size > 0) runWhenIdle(writeNext, MAX_WRITE_DELAY_MS)
}

async function writePending(count = MAX_REPLIES): Promise<void> {
  if (pendingReplies.size === 0) return
  const store = await openReplyStore('readwrite')
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

/** Deletes the oldest replies beyond the limits, by an index that does not read their texts. */
async function evictOldest(): Promise<void> {
  writesSinceEviction = 0
  const store = await openStoreOfOwner('readwrite')
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
