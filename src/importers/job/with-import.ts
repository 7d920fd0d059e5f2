import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { JobContext } from '#core/job.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { workspaceState } from '#db/workspaces/deleted-workspaces.ts'
import type { Files } from '#files/files.ts'
import type { ImportStatus } from '#resources/imports/internal.ts'
import type { LoadedImport } from '#resources/imports/load.ts'
import { importById } from '#resources/imports/store.ts'

/** What the jobs of imports need. */
export interface ImportJobDeps {
  storage: Storage
  files: Files
  /** Limits the time that an import takes, and the keys of its rows that are held in memory. */
  maxRows: number
  /** The most tasks in one transaction: few enough that other writers do not wait long. */
  taskBatchSize: number
}

/** The same for one run of a job, which writes only while it has its lease. */
export interface ImportRun extends ImportJobDeps, Pick<JobContext, 'write' | 'signal'> {}

/** An import that a job works on. */
export interface ImportRef {
  workspace_id: string
  id: string
}

/** The state of the import has changed, or its workspace is deleted: there is nothing to do. */
export class ImportNotActive extends Error {}

/**
 * Runs `work` in a transaction if the import is still in the expected state; throws
 * `ImportNotActive` otherwise. So each batch is done once.
 */
export function withImport<T>(
  { write, signal }: ImportRun,
  { workspace_id, id }: ImportRef,
  state: ImportStatus,
  work: (tx: WriteTx, current: LoadedImport) => Promise<T>,
  actor: Actor = { ...ANONYMOUS_ACTOR, workspace_id, role: 'owner' },
): Promise<T> {
  signal.throwIfAborted()
  return write(async (tx) => {
    const current = await tx.one(importById, { id })
    if (current?.status !== state) throw new ImportNotActive()
    if ((await tx.one(workspaceState, {}))?.deleted_at) throw new ImportNotActive()
    return work(tx, current)
  }, actor)
}
