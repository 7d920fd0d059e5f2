import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import type { State } from '#resources/imports/internal.ts'
import { end } from '#resources/imports/operations.ts'
import * as store from '#resources/imports/store.ts'
import { workspaceState } from '#storage/deleted-workspaces.ts'
import { doomFile } from '#storage/files.ts'
import type { Chore } from '#upkeep/rounds.ts'
import { readImport } from './read.ts'
import { runImport } from './run.ts'
import { undoImport } from './undo.ts'
import { type Job, Lost, type Means } from './work.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** So long an import can be undone, and its faults be read; one that was not started is given up sooner. */
const KEPT_DAYS = 30
const WAITING_DAYS = 1
const ACTIVE: State[] = ['reading', 'running', 'undoing']
const WAITING: State[] = ['ready', 'failed']
const OVER: State[] = ['done', 'canceled', 'undone', 'failed']
const AT_ONCE = 20
const MOST_ROWS = 100_000
const ROWS_AT_ONCE = 500
/** On SQLite the process does nothing else meanwhile; PostgreSQL is waited for, and others are served. */
const TASKS_AT_ONCE = { sqlite: 25, postgres: 100 }

/** What is done for imports in the background, in steps: each import that is active has its turn. */
export function importing({ storage, files }: { storage: Storage; files: Files }): Chore[] {
  const atOnce = TASKS_AT_ONCE[storage.engine]
  const runner = newId('opr', storage.clock.now())
  const means: Means = { storage, files, runner, mostRows: MOST_ROWS, atOnce }
  return [
    { name: 'imports', everyMs: SECOND, step: () => advanceImports(means) },
    { name: 'old imports', everyMs: 10 * MINUTE, step: () => forgetImports(storage) },
  ]
}

/** Goes a step on with the imports that are active. Tells whether there is more to do at once. */
export async function advanceImports(means: Means): Promise<boolean> {
  await cancelOfDeleted(means.storage)
  const wanted = { states: ACTIVE, limit: AT_ONCE }
  const jobs = await means.storage.read(NOBODY, (tx) => tx.all(store.importsIn, wanted))
  let more = false
  for (const job of jobs) {
    try {
      more = (await advance(means, job)) || more
    } catch (error) {
      if (!(error instanceof Lost)) throw error
    }
  }
  return more
}

/** Ends those of workspaces that were deleted: what they have made can be taken back once that is restored. */
async function cancelOfDeleted(storage: Storage): Promise<void> {
  const jobs = await storage.read(NOBODY, (tx) =>
    tx.all(store.importsOfDeleted, { limit: AT_ONCE }),
  )
  for (const { workspace_id, id } of jobs) {
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      // Looked at again under the lock: it may have been restored since.
      const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
      const now = deleted_at ? await tx.one(store.importById, { id }) : undefined
      if (now) await end(tx, now, 'canceled')
    })
  }
}

/** Whatever its state is by now: the others lose at once. */
async function advance(means: Means, job: Job): Promise<boolean> {
  const actor = { ...NOBODY, workspace_id: job.workspace_id }
  const found = await means.storage.read(actor, (tx) => tx.one(store.importById, { id: job.id }))
  if (found?.status === 'running') return runImport(means, job, found)
  if (found?.status === 'undoing') return undoImport(means, job)
  if (found?.status === 'reading') await readImport(means, job)
  return false
}

const setFile = store.setImport(['status', 'file_id'])

/** Gives up what was never started, and forgets what ended long ago, some rows at a time. */
export async function forgetImports(storage: Storage): Promise<boolean> {
  const found = await storage.read(NOBODY, async (tx) => {
    const before = (days: number) => timestampOf(tx.instant - days * DAY)
    const limit = AT_ONCE
    return {
      waiting: await tx.all(store.importsBefore, {
        states: WAITING,
        before: before(WAITING_DAYS),
        limit,
      }),
      over: await tx.all(store.importsBefore, { states: OVER, before: before(KEPT_DAYS), limit }),
    }
  })
  for (const { workspace_id, id, file_id } of found.waiting) {
    if (file_id === null) continue
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      const now = await tx.one(store.importById, { id })
      if (!now || !WAITING.some((state) => state === now.status)) return
      await tx.run(doomFile, { id: file_id, doomed_at: tx.now })
      await tx.run(setFile, { ...now, status: 'canceled', file_id: null })
    })
  }
  let more = false
  for (const { workspace_id, id: import_id } of found.over) {
    more = await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      const some = await tx.all(store.someRows, { import_id, limit: ROWS_AT_ONCE })
      const last = some.at(-1)
      if (last) await tx.run(store.removeRowsTo, { import_id, number: last.number })
      else await tx.run(store.removeImport, { id: import_id })
      return last !== undefined
    })
  }
  return more
}
