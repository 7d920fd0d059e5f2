import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainsAfter } from '#db/audit/audit-log.ts'
import { workspacesAfter } from '#db/retention/purge.ts'

const PAGE_SIZE = 20

/** Does one step in one workspace; returns whether there is more to do there. */
type WorkspaceStep = (workspace_id: string) => Promise<boolean>

/**
 * Creates the steps of a job that visits all workspaces, some at each step. The round stays at a
 * workspace as long as `work` has more to do there.
 */
export const forEachWorkspace = (storage: Storage, work: WorkspaceStep) =>
  createRound(storage, workspacesAfter, work)

/** The same for audit chains: one of each workspace, also of deleted ones, and one more. */
export const forEachAuditChain = (storage: Storage, work: WorkspaceStep) =>
  createRound(storage, auditChainsAfter, work)

function createRound(
  storage: Storage,
  pageAfter: typeof workspacesAfter,
  work: WorkspaceStep,
): () => Promise<boolean> {
  let after = ''
  return async () => {
    const page = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(pageAfter, { after, limit: PAGE_SIZE }),
    )
    for (const { id } of page) {
      if (await work(id)) return true
      after = id
    }
    if (page.length === PAGE_SIZE) return true
    after = ''
    return false
  }
}
