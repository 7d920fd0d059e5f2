import { deleteDraft, readDraftsByPrefix, saveDraft } from '../../lib/state/drafts.ts'
import { currentSession } from '../session/current-session.ts'
import type { CreateTaskBody } from '../tasks/create-task.ts'
import type { Task, TaskChange } from '../tasks/task-patch.ts'

/** What it takes to send a mutation again after the page was left or crashed; stored as JSON. */
export type StoredMutation =
  | { kind: 'change'; id: string; change: TaskChange; label: string }
  | { kind: 'create'; body: CreateTaskBody; placeholder: Task }

/** A mutation as it is stored in this browser, among the drafts of its person. */
export interface StoredMutationEntry {
  /** Its Idempotency-Key. */
  key: string
  workspace_id: string
  /** When it was made, in ms since 1970, and its position among those of the same page. */
  at: number
  turn: number
  /** The id of the page that sends it while it is open. */
  page: string
  write: StoredMutation
}

const STORAGE_PREFIX = 'write.'
const LOCK_PREFIX = 'docket-writes-'
let page: string | undefined
let turn = 0

/** Undefined without https. Two pages may then send a mutation, but its key applies it once. */
const getLocks = (): LockManager | undefined => navigator.locks

/** The id of this page. The page holds a lock of that name, which even a crash releases. */
function getPageId(): string {
  if (page !== undefined) return page
  const name = crypto.randomUUID()
  page = name
  // The lock is held until the page ends, so a rejection concerns nobody.
  getLocks()
    ?.request(LOCK_PREFIX + name, () => new Promise(() => undefined))
    .catch(() => undefined)
  return name
}

/** Stores a mutation in this browser until it is acknowledged, rejected or discarded. */
export function storeMutation(key: string, write: StoredMutation): void {
  const workspace_id = currentSession()?.workspace.id
  if (workspace_id === undefined) return
  turn += 1
  writeEntry({ key, workspace_id, at: Date.now(), turn, page: getPageId(), write })
}

export const deleteStoredMutation = (key: string): void => deleteDraft(STORAGE_PREFIX + key)

/** Points the stored changes of a placeholder at the task that the server created for it. */
export function replaceStoredTempId(placeholder: string, task: Task): void {
  for (const kept of readAll()) {
    const { write } = kept
    if (write.kind !== 'change' || write.id !== placeholder) continue
    writeEntry({
      ...kept,
      write: { ...write, id: task.id, change: { ...write.change, from: task } },
    })
  }
}

/** Takes over the mutations of this workspace that no open page is sending, in their order. */
export async function claimStoredMutations(): Promise<StoredMutationEntry[]> {
  const { held = [] } = (await getLocks()?.query()) ?? {}
  const openPages = new Set(held.map(({ name }) => name))
  const orphaned = readAll().filter((one) => {
    return (
      one.workspace_id === currentSession()?.workspace.id && !openPages.has(LOCK_PREFIX + one.page)
    )
  })
  const ordered = orphaned.toSorted((a, b) => a.at - b.at || a.turn - b.turn)
  for (const one of ordered) writeEntry({ ...one, page: getPageId() })
  return ordered
}

const readAll = () =>
  readDraftsByPrefix(STORAGE_PREFIX).map((text) => JSON.parse(text) as StoredMutationEntry)
const writeEntry = (kept: StoredMutationEntry) =>
  saveDraft(STORAGE_PREFIX + kept.key, JSON.stringify(kept))
