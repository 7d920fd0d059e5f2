import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import type { State } from '#resources/imports/internal.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { claimImport, importById } from '#resources/imports/store.ts'
import { workspaceState } from '#storage/deleted-workspaces.ts'

/** What the work on imports needs. `runner` is the name of this process among those that share a store. */
export interface Means {
  storage: Storage
  files: Files
  runner: string
  /** Rows that one import may have: what a workspace takes in within minutes, and memory holds keys of. */
  mostRows: number
  /** Tasks in one transaction at most: few enough that nobody waits long behind them. */
  atOnce: number
}

/** An import on which work is done. */
export interface Job {
  workspace_id: string
  id: string
}

/** After so long without a word another process takes over: of a file, or a batch. */
const SILENT_MS = 10_000

/** Somebody else works on it, it is in another state by now, or its workspace is deleted: no more is to be done. */
export class Lost extends Error {}

/**
 * Does a part of the work in a transaction, if this process works on the import and it is still in the
 * state that the work is for; throws `Lost` otherwise. So a batch is done by one process, once.
 */
export function step<T>(
  { storage, runner }: Means,
  { workspace_id, id }: Job,
  state: State,
  work: (tx: WriteTx, found: FoundImport) => Promise<T>,
  actor: Actor = { ...NOBODY, workspace_id, role: 'owner' },
): Promise<T> {
  return storage.write(actor, async (tx) => {
    const runner_until = timestampOf(tx.instant + SILENT_MS)
    const claimed = await tx.run(claimImport, { id, runner, runner_until, now: tx.now })
    const found = claimed > 0 ? await tx.one(importById, { id }) : undefined
    if (found?.status !== state) throw new Lost()
    if ((await tx.one(workspaceState, {}))?.deleted_at) throw new Lost()
    return work(tx, found)
  })
}
