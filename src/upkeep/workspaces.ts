import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { chainsAfter } from '#storage/audit-log.ts'
import { workspacesAfter } from '#storage/upkeep.ts'

const AT_ONCE = 20

type Work = (workspace_id: string) => Promise<boolean>

/**
 * A chore's round of all workspaces, some at each step. `work` does a little in one workspace and
 * tells whether there is more to do there: then the round stays at it.
 */
export const roundOfWorkspaces = (storage: Storage, work: Work) =>
  roundOf(storage, workspacesAfter, work)

/** The same for the chains of the audit log: of workspaces, those that are gone too, and one more. */
export const roundOfChains = (storage: Storage, work: Work) => roundOf(storage, chainsAfter, work)

function roundOf(
  storage: Storage,
  someAfter: typeof workspacesAfter,
  work: Work,
): () => Promise<boolean> {
  let after = ''
  return async () => {
    const found = await storage.read(NOBODY, (tx) => tx.all(someAfter, { after, limit: AT_ONCE }))
    for (const { id } of found) {
      if (await work(id)) return true
      after = id
    }
    if (found.length === AT_ONCE) return true
    after = ''
    return false
  }
}
