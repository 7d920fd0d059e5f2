import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  clearTransferFile,
  scheduleFileDeletion,
  transferFiles,
} from '#db/retention/pending-file-deletions.ts'
import {
  abandonedWorkspaces,
  anyPendingFileDeletion,
  deleteAbandonedMark,
  deleteMembershipRow,
  deletePasswordlessResets,
  deleteStrandedUser,
  deleteWorkspaceRow,
  purgeTableRows,
  TABLES_PURGED_AFTER_TASKS,
  TABLES_PURGED_BEFORE_TASKS,
  workspaceMemberBatch,
  workspaceTaskBatch,
} from '#db/workspaces/abandoned-workspaces.ts'
import type { Files } from '#files/files.ts'
import { purgeTaskStep } from './empty-trash.ts'

const MAX_ROWS = 200
const MAX_TASKS = 10
const BATCH = { limit: MAX_ROWS }

/**
 * Purges abandoned workspaces: first their contents, then the workspaces themselves. One whose files
 * cannot be deleted does not delay the others.
 */
export const purgeAbandonedWorkspaces =
  (storage: Storage, files: Files) => async (): Promise<boolean> => {
    const errors: unknown[] = []
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))
    for (const { id } of workspaces) {
      try {
        if (await purgeWorkspaceStep(storage, files, id)) return true
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Workspaces cannot be purged')
    return false
  }

/** Purges one batch of a workspace; returns whether the next step can follow at once. */
export async function purgeWorkspaceStep(
  storage: Storage,
  files: Files,
  workspace_id: string,
): Promise<boolean> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id }
  const purgeTables = async (
    tables: typeof TABLES_PURGED_BEFORE_TASKS | typeof TABLES_PURGED_AFTER_TASKS,
  ) => {
    for (const table of tables) {
      const purged = await storage.write(actor, (tx) => tx.run(purgeTableRows(table), BATCH))
      if (purged > 0) return false
    }
    return true
  }
  if (await scheduleTransferFileDeletions(storage, workspace_id)) return true
  if (!(await purgeTables(TABLES_PURGED_BEFORE_TASKS))) return true
  const limit = MAX_TASKS
  const tasks = await storage.read(actor, (tx) => tx.all(workspaceTaskBatch, { limit }))
  for (const { id } of tasks) await storage.write(actor, (tx) => purgeTaskStep(tx, id))
  if (tasks.length > 0) return true
  if (!(await purgeTables(TABLES_PURGED_AFTER_TASKS))) return true
  // Another job deletes the files, and needs the workspace for that.
  if (await storage.read(actor, (tx) => tx.one(anyPendingFileDeletion, {}))) return false
  // The remaining files have no row, and without the workspace no sweep would find them.
  await files.clear(workspace_id)
  return storage.write(actor, async (tx) => {
    const people = await tx.all(workspaceMemberBatch, BATCH)
    for (const { user_id } of people) {
      await tx.run(deleteMembershipRow, { user_id })
      await tx.run(deletePasswordlessResets, { id: user_id })
      await tx.run(deleteStrandedUser, { id: user_id })
    }
    if (people.length === MAX_ROWS) return true
    await tx.run(deleteWorkspaceRow, {})
    await tx.run(deleteAbandonedMark, { abandoned_id: workspace_id })
    return false
  })
}

/** Schedules the deletion of import and export files; returns whether there were any. */
function scheduleTransferFileDeletions(storage: Storage, workspace_id: string): Promise<boolean> {
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    let hasFiles = false
    for (const table of ['imports', 'exports'] as const) {
      for (const { id, file_id } of await tx.all(transferFiles(table), BATCH)) {
        if (file_id !== null) await tx.run(scheduleFileDeletion, { id: file_id, doomed_at: tx.now })
        await tx.run(clearTransferFile(table), { id })
        hasFiles = true
      }
    }
    return hasFiles
  })
}
