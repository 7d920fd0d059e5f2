import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { workspacesAfter } from '#storage/upkeep.ts'

const AT_ONCE = 20

/**
 * A chore's round of all workspaces, some at each step. `work` does a little in one workspace and
 * tells whether there is more to do there: then the round stays at it.
 */
export function roundOfWorkspaces(
  storage: Storage,
  work: (workspace_id: string) => Promise<boolean>,
): () => Promise<boolean> {
  let after = ''
  return async () => {
    const found = await storage.read(NOBODY, (tx) =>
      tx.all(workspacesAfter, { after, limit: AT_ONCE }),
    )
    for (const { id } of found) {
      if (await work(id)) return true
      after = id
    }
    if (found.length === AT_ONCE) return true
    after = ''
    return false
  }
}
