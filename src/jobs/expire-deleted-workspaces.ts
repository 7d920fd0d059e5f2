import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { abandonWorkspace } from '#db/workspaces/abandoned-workspaces.ts'
import { workspaceState, workspacesDeletedBefore } from '#db/workspaces/deleted-workspaces.ts'

const MAX_WORKSPACES = 20

/**
 * Abandons deleted workspaces that can no longer be restored; another job purges their contents.
 */
export const expireDeletedWorkspaces =
  (storage: Storage, trashDays: number) => async (): Promise<boolean> => {
    const before = trashSince({ trashDays }, storage.clock.now())
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(workspacesDeletedBefore, { before, limit: MAX_WORKSPACES }),
    )
    for (const { id } of workspaces) {
      await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: id }, async (tx) => {
        // No cached access has to be invalidated: only its owners are still admitted, to restore it.
        // Read again under the lock: it may have been restored since.
        const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
        if (deleted_at && deleted_at <= before) await abandonWorkspace(tx, id)
      })
    }
    return workspaces.length === MAX_WORKSPACES
  }
