import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { abandonedWorkspaces, abandonWorkspace } from '#db/workspaces/abandoned-workspaces.ts'
import {
  endStalledWorkspaceImport,
  endWorkspaceImport,
  stalledWorkspaceImports,
} from '#db/workspaces/workspace-imports.ts'
import type { Files } from '#files/files.ts'
import { purgeWorkspaceStep } from './purge-abandoned-workspaces.ts'
import { deletePendingFiles } from './purge-files.ts'

/** Abandons the imports that were killed: nobody has ever seen their data. */
export const abandonStalledImports = (storage: Storage) => async (): Promise<boolean> => {
  const stalled = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(stalledWorkspaceImports, { now: tx.now }),
  )
  for (const { id } of stalled) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: id }, async (tx) => {
      // Read again under the lock: the import may have reported since.
      if ((await tx.run(endStalledWorkspaceImport, { now: tx.now })) > 0)
        await abandonWorkspace(tx, id)
    })
  }
  return false
}

/** Abandons a failed import. It was never visible, so that no process has cached anything of it. */
export async function abandonImport(tx: WriteTx): Promise<void> {
  if ((await tx.run(endWorkspaceImport, {})) > 0) await abandonWorkspace(tx, tx.actor.workspace_id)
}

/**
 * Purges an abandoned workspace at once. Returns whether all of it is purged: a backup may hold its
 * files a little longer, and a copy of an installation deletes none.
 */
export async function purgeAbandonedWorkspaceNow(
  storage: Storage,
  files: Files,
  workspace_id: string,
  isCopy: () => Promise<boolean>,
): Promise<boolean> {
  const isLeft = async () => {
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))
    return workspaces.some(({ id }) => id === workspace_id)
  }
  if (!(await isLeft())) return true
  if (await isCopy()) return false
  while (await purgeWorkspaceStep(storage, files, workspace_id));
  while (await deletePendingFiles(storage, files)());
  while (await purgeWorkspaceStep(storage, files, workspace_id));
  return !(await isLeft())
}
