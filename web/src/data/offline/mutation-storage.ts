import { deleteDraft, readDraftsByPrefix } from '../../lib/state/drafts.ts'
import { type MutationEntry, pickEntry } from '../mutations/mutation-entry.ts'
import { DRAFT_PREFIX, MUTATION_DATABASE } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import { currentSession } from '../session/current-session.ts'

type Entry = MutationEntry<StoredMutation>

/** An entry as IndexedDB stores it. */
interface OwnedEntry extends Entry {
  user_id: string
  workspace_id: string
  /** The id of the page that sends it while it is open. */
  page: string
}

type Owner = Omit<OwnedEntry, keyof Entry>

const STORE_NAME = 'entries'
const LOCK_PREFIX = 'docket-writes-'
/** A browser that answers later than this cannot store anything, as far as the person can tell. */
const OPEN_TIMEOUT_MS = 3_000

let database: Promise<IDBDatabase> | undefined
let page: Promise<string> | undefined

/** Undefined without https. Two pages may then send a mutation, but its key applies it once. */
const getLocks = (): LockManager | undefined => navigator.locks

/** The id of this page. The page holds a lock of that name, which even a crash releases. */
const getPageId = (): Promise<string> => {
  page ??= new Promise((resolve) => {
    const id = crypto.randomUUID()
    const locks = getLocks()
    if (!locks) return resolve(id)
    const hold = () => {
      resolve(id)
      return new Promise(() => undefined)
    }
    // It fails only as the page ends, which concerns nobody.
    locks.request(LOCK_PREFIX + id, hold).catch(() => undefined)
  })
  return page
}

/** Stores and deletes entries of this page in one transaction. Rejects if that is impossible. */
export async function writeStoredMutations(
  puts: readonly Entry[],
  deletedKeys: readonly string[],
): Promise<void> {
  const owner = await getOwner()
  await transact((store) => {
    for (const entry of puts) store.put({ ...entry, ...owner })
    for (const key of deletedKeys) store.delete(key)
  })
}

/**
 * Takes over the entries of this person and workspace that no open page is sending, in their order.
 * Of two pages that do so at the same time only one gets an entry. If the browser has no database,
 * e.g. in a private window, there are only those that are among the drafts.
 */
export async function claimStoredMutations(): Promise<{
  entries: Entry[]
  /** Those that the browser cannot store. */
  unstoredKeys: ReadonlySet<string>
}> {
  const owner = await getOwner()
  const drafted = takeDraftedMutations(owner.workspace_id)
  const unstored = await transact((store) => {
    for (const entry of drafted.entries) {
      store.put({ ...entry, ...owner, page: '' })
      for (const key of entry.replacedKeys ?? []) store.delete(key)
    }
  }).then(
    () => [],
    () => drafted.entries,
  )
  const entries = [...(await claimEntries(owner)), ...unstored]
  drafted.remove()
  entries.sort((a, b) => a.turn - b.turn)
  return { entries, unstoredKeys: new Set(unstored.map(({ key }) => key)) }
}

async function claimEntries(owner: Owner): Promise<Entry[]> {
  const pages = new Map<string, string>()
  const claimed: Entry[] = []
  try {
    await transact((store) => readAll(store, (entry) => pages.set(entry.key, entry.page)))
    // A page has its lock before it stores an entry, so the locks are only complete after the entries.
    const { held = [] } = (await getLocks()?.query()) ?? {}
    const openPages = new Set(held.map(({ name }) => name))
    await transact((store) => {
      claimed.length = 0
      readAll(store, ({ user_id, workspace_id, page, ...entry }) => {
        if (user_id !== owner.user_id || workspace_id !== owner.workspace_id) return
        // Another page may have claimed it since, and be unknown to `openPages`.
        if (openPages.has(LOCK_PREFIX + page) || pages.get(entry.key) !== page) return
        store.put({ ...entry, ...owner })
        claimed.push(entry)
      })
    })
  } catch {
    // A full database gives them to no page. They are sent all the same: their keys apply them once.
  }
  return claimed
}

function readAll(store: IDBObjectStore, onEntry: (entry: OwnedEntry) => void): void {
  const request: IDBRequest<OwnedEntry[]> = store.getAll()
  request.onsuccess = () => request.result.forEach(onEntry)
}

/** How many entries of whatever person and workspace the browser stores; 0 without a database. */
export async function countStoredEntries(): Promise<number> {
  let count = 0
  await transact((store) => {
    const request = store.count()
    request.onsuccess = () => {
      count = request.result
    }
  }).catch(() => undefined)
  return count
}

async function getOwner(): Promise<Owner> {
  const session = currentSession()
  if (!session) throw new Error('The page has no session')
  const { user, workspace } = session
  return { user_id: user.id, workspace_id: workspace.id, page: await getPageId() }
}

/** Carries out a transaction, at most twice: browsers drop connections of pages in the background. */
const transact = (change: (store: IDBObjectStore) => void): Promise<void> =>
  attemptTransaction(change).catch(() => attemptTransaction(change))

async function attemptTransaction(change: (store: IDBObjectStore) => void): Promise<void> {
  database ??= openDatabase()
  try {
    const transaction = (await database).transaction(STORE_NAME, 'readwrite')
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
      change(transaction.objectStore(STORE_NAME))
    })
  } catch (error) {
    // Another tab may have deleted it, or it could not be opened.
    database = undefined
    throw error
  }
}

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('The database did not open')), OPEN_TIMEOUT_MS)
    const request = indexedDB.open(MUTATION_DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE_NAME, { keyPath: 'key' })
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      // Another tab deletes the database on signing out and must not be blocked.
      request.result.onversionchange = () => {
        request.result.close()
        database = undefined
      }
      resolve(request.result)
    }
  })

/**
 * The mutations of a workspace among the drafts, which a page could not store before it ended.
 * `remove` deletes them there.
 */
function takeDraftedMutations(workspace_id: string): {
  entries: MutationEntry<StoredMutation>[]
  remove: () => void
} {
  const drafted = readDraftsByPrefix(DRAFT_PREFIX)
    .map((text) => JSON.parse(text) as MutationEntry<StoredMutation> & { workspace_id: string })
    .filter((one) => one.workspace_id === workspace_id)
  return {
    entries: drafted.map(pickEntry),
    remove() {
      for (const { key } of drafted) deleteDraft(DRAFT_PREFIX + key)
    },
  }
}
