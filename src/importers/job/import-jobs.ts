import { setTimeout as pause } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { JobContext, JobKind } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { workspaceState } from '#db/workspaces/deleted-workspaces.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { timestampOf } from '#lib/clock.ts'
import type { ImportStatus } from '#resources/imports/internal.ts'
import { toImportError } from '#resources/imports/load.ts'
import { CLEARED_STATUSES, finishImport } from '#resources/imports/operations.ts'
import { removeImportRow, unusedImportRows } from '#resources/imports/row-store.ts'
import {
  importById,
  importsEndedBefore,
  importsOfDeletedWorkspaces,
  removeImport,
  setImport,
} from '#resources/imports/store.ts'
import { readImport } from './read-import.ts'
import {
  type ImportJobDeps,
  ImportNotActive,
  type ImportRef,
  type ImportRun,
  removeFirstRows,
  runImport,
} from './run-import.ts'
import { undoImportBatch } from './undo-import.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** An ended import can be undone, and its faults read, for this long. */
const RETENTION_DAYS = 30
/** An import that nobody starts is canceled after this long. */
const UNSTARTED_TTL_DAYS = 1
const ACTIVE_STATES: ImportStatus[] = ['reading', 'running', 'undoing']
const UNSTARTED_STATES: ImportStatus[] = ['ready', 'failed']
const ENDED_STATES: ImportStatus[] = ['done', 'canceled', 'undone', 'failed']
const IMPORT_BATCH_SIZE = 20
const MAX_ROWS = 100_000
const ROW_DELETE_BATCH_SIZE = 500
/**
 * A SQLite transaction blocks the whole process, so its batches are smaller. While PostgreSQL
 * works, the process serves other requests.
 */
const TASK_BATCH_SIZE = { sqlite: 25, postgres: 100 }

const MAX_ATTEMPT_DELAY_MS = 10 * MINUTE
/** After this long the next import gets its turn. */
const SLICE_MS = 2 * SECOND
/** Between two transactions of an import, so that requests come first. */
const STEP_PAUSE_MS = 20
/** The periodic jobs for imports. */
export const createImportJobs = (storage: Storage): ScheduledJob[] => [
  {
    name: 'imports of deleted workspaces',
    intervalMs: MINUTE,
    async run() {
      await cancelImportsOfDeletedWorkspaces(storage)
      return false
    },
  },
  { name: 'old imports', intervalMs: 10 * MINUTE, run: () => purgeImports(storage) },
]

/** The settings of imports for an engine. */
export const createImportJobDeps = (deps: Pick<ImportJobDeps, 'storage' | 'files'>) => ({
  ...deps,
  maxRows: MAX_ROWS,
  taskBatchSize: TASK_BATCH_SIZE[deps.storage.engine],
})

/** The kind of job that reads, runs and undoes imports, in slices of `sliceMs`. */
export const createImportJob = (deps: ImportJobDeps, sliceMs = SLICE_MS): JobKind => ({
  name: 'import',
  maxRunning: 2,
  maxAgeMs: DAY,
  retryDelayMs: (attempts) => Math.min(attempts * 10 * SECOND, MAX_ATTEMPT_DELAY_MS),
  async run({ job, signal, write, setProgress }) {
    const { workspace_id, payload } = job
    const ref = { workspace_id, id: payload.import_id ?? '' }
    const sliceEnd = performance.now() + sliceMs
    try {
      while (await advance({ ...deps, write, signal }, ref, setProgress)) {
        if (performance.now() >= sliceEnd) return 'again'
        await pause(STEP_PAUSE_MS)
      }
    } catch (error) {
      if (!(error instanceof ImportNotActive)) throw error
    }
    return 'done'
  },
  async onEnd(tx, { payload }, end) {
    const current = await tx.one(importById, { id: payload.import_id ?? '' })
    if (!current || !isActive(current.status)) return
    if (end === 'done') {
      // The import could not go on, and a restored workspace would have no job that goes on with it.
      if ((await tx.one(workspaceState, {}))?.deleted_at)
        await finishImport(tx, current, 'canceled')
      return
    }
    const code = end === 'lost' ? 'server_stopped' : 'failed'
    const error = JSON.stringify(toImportError(code))
    await tx.run(setFailed, { ...current, status: 'failed', error, updated_at: tx.now })
  },
})

const isActive = (status: string) => ACTIVE_STATES.some((one) => one === status)
const setFailed = setImport(['status', 'error', 'updated_at'])

/**
 * Cancels imports of deleted workspaces. They can still be undone once the workspace is restored.
 */
export async function cancelImportsOfDeletedWorkspaces(storage: Storage): Promise<void> {
  const jobs = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(importsOfDeletedWorkspaces, { limit: IMPORT_BATCH_SIZE }),
  )
  for (const { workspace_id, id } of jobs) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      // The workspace is read again under the lock because it may have been restored since.
      const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
      const current = deleted_at ? await tx.one(importById, { id }) : undefined
      if (current) await finishImport(tx, current, 'canceled')
    })
  }
}

/** Does the next step of an import. Returns whether there is more to do. */
async function advance(
  run: ImportRun,
  ref: ImportRef,
  setProgress: JobContext['setProgress'],
): Promise<boolean> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: ref.workspace_id }
  const record = await run.storage.read(actor, (tx) => tx.one(importById, { id: ref.id }))
  if (!record) return false
  setProgress(`${record.status}: ${record.done_count} of ${record.row_count} rows`)
  if (record.status === 'running') return runImport(run, ref, record)
  if (record.status === 'undoing') return undoImportBatch(run, ref)
  if (CLEARED_STATUSES.some((one) => one === record.status)) return clearImportRows(run, ref)
  if (record.status === 'reading') await readImport(run, ref)
  return false
}

/**
 * Cancels imports that were never started and deletes those that ended long ago, in batches of
 * rows.
 */
export async function purgeImports(storage: Storage): Promise<boolean> {
  const [unstarted = [], ended = []] = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    Promise.all(
      [
        { states: UNSTARTED_STATES, days: UNSTARTED_TTL_DAYS },
        { states: ENDED_STATES, days: RETENTION_DAYS },
      ].map(({ states, days }) => {
        const before = timestampOf(tx.nowMs - days * DAY)
        return tx.all(importsEndedBefore, { states, before, limit: IMPORT_BATCH_SIZE })
      }),
    ),
  )
  for (const { workspace_id, id, file_id } of unstarted) {
    if (file_id === null) continue
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      const current = await tx.one(importById, { id })
      if (!current || !UNSTARTED_STATES.some((state) => state === current.status)) return
      await finishImport(tx, current, 'canceled')
    })
  }
  let hasMore = ended.length === IMPORT_BATCH_SIZE
  for (const { workspace_id, id: import_id } of ended) {
    const hasRows = await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      if (await removeFirstRows(tx, import_id, ROW_DELETE_BATCH_SIZE)) return true
      await tx.run(removeImport, { id: import_id })
      return false
    })
    hasMore ||= hasRows
  }
  return hasMore
}

/** The most rows in one transaction. */
const BATCH_SIZE = 100

const hasFaultList = (status: string) => status === 'done' || status === 'failed'

/**
 * Deletes the next rows of an ended import that became no tasks, except those whose faults can still
 * be listed. The file of an import may unpack to a hundred times its size, and no quota counts that.
 * Returns whether there are more.
 * What was deleted shows in the table alone, so that the job may be killed at any time.
 */
function clearImportRows(
  { write, signal }: ImportRun,
  { workspace_id, id: import_id }: ImportRef,
): Promise<boolean> {
  signal.throwIfAborted()
  return write(
    async (tx) => {
      const current = await tx.one(importById, { id: import_id })
      if (!current || !CLEARED_STATUSES.some((one) => one === current.status)) return false
      const unplaced = hasFaultList(current.status) ? 'none, no fault' : 'none'
      // Undoing an import lowers the count, but nobody undoes an import twice.
      const slots = { import_id, after: current.done_count, limit: BATCH_SIZE }
      const placed = await tx.all(unusedImportRows('after'), slots)
      const rows = placed.length > 0 ? placed : await tx.all(unusedImportRows(unplaced), slots)
      const keys = takeSized(rows, MAX_STEP_BYTES).map(({ number }) => ({ import_id, number }))
      await tx.runEach(removeImportRow, keys)
      return rows.length > 0
    },
    { ...ANONYMOUS_ACTOR, workspace_id },
  )
}
