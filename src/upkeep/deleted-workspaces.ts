import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { abandonWorkspace } from '#storage/abandoned.ts'
import { deletedBefore, workspaceState } from '#storage/deleted-workspaces.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const AT_ONCE = 20

/** Gives up the workspaces that can no longer be restored: another chore takes away what is in them. */
export const eraseDeleted = (storage: Storage, trashDays: number) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - trashDays * DAY_MS)
  const found = await storage.read(NOBODY, (tx) =>
    tx.all(deletedBefore, { before, limit: AT_ONCE }),
  )
  for (const { id } of found) {
    await storage.write({ ...NOBODY, workspace_id: id }, async (tx) => {
      // Nobody is let in any more who would have to be forgotten: its owners alone come as far as to restore it.
      // Looked at again under the lock: it may have been restored since.
      const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
      if (deleted_at && deleted_at <= before) await abandonWorkspace(tx, id)
    })
  }
  return found.length === AT_ONCE
}
