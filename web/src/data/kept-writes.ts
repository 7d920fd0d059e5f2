import { draftsUnder, dropDraft, keepDraft } from '../lib/drafts.ts'
import { here } from './elsewhere.ts'
import type { NewTask } from './task-create.ts'
import type { Change, Task } from './task-view.ts'

/** What is needed to send a write again after the page was left, or crashed. */
export type KeptWrite =
  | { kind: 'change'; id: string; change: Change; label: string }
  | { kind: 'create'; body: NewTask; placeholder: Task }

/** A write as this browser keeps it, among the drafts of its person. */
export interface Kept {
  /** Its Idempotency-Key. */
  key: string
  workspace_id: string
  /** When it was meant: ms since 1970, and its turn among those of the same page. */
  at: number
  turn: number
  /** The page that sends it as long as that is open. */
  page: string
  write: KeptWrite
}

const PLACE = 'write.'
const LOCK = 'docket-writes-'
let page: string | undefined
let turn = 0

/** Without https a browser has none: then whoever comes next sends it, too, and it happens once all the same. */
const locks = (): LockManager | undefined => navigator.locks

/** The name of this page, under a lock for as long as it lives: a browser lets it go even if the page crashes. */
function pageHere(): string {
  if (page !== undefined) return page
  const name = crypto.randomUUID()
  page = name
  // It is never given back, so it never fails but with the page.
  locks()
    ?.request(LOCK + name, () => new Promise(() => undefined))
    .catch(() => undefined)
  return name
}

/** Keeps a write in this browser until it is acknowledged, refused or given up. */
export function keepWrite(key: string, write: KeptWrite): void {
  const workspace_id = here()?.workspace.id
  if (workspace_id === undefined) return
  turn += 1
  store({ key, workspace_id, at: Date.now(), turn, page: pageHere(), write })
}

export const dropWrite = (key: string): void => dropDraft(PLACE + key)

/** A task was made for a placeholder: changes of it that are kept are of that task. */
export function renameKept(placeholder: string, task: Task): void {
  for (const kept of all()) {
    const { write } = kept
    if (write.kind !== 'change' || write.id !== placeholder) continue
    store({ ...kept, write: { ...write, id: task.id, change: { ...write.change, from: task } } })
  }
}

/** The writes of this workspace that no open page sends, in the order in which they were meant: now this one does. */
export async function takeKept(): Promise<Kept[]> {
  const { held = [] } = (await locks()?.query()) ?? {}
  const alive = new Set(held.map(({ name }) => name))
  const found = all().filter((one) => {
    return one.workspace_id === here()?.workspace.id && !alive.has(LOCK + one.page)
  })
  const ordered = found.toSorted((a, b) => a.at - b.at || a.turn - b.turn)
  for (const one of ordered) store({ ...one, page: pageHere() })
  return ordered
}

const all = () => draftsUnder(PLACE).map((text) => JSON.parse(text) as Kept)
const store = (kept: Kept) => keepDraft(PLACE + kept.key, JSON.stringify(kept))
