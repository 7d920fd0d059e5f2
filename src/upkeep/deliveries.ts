import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { firstIdAt } from '#lib/id.ts'
import { deliveriesBetween, forget, forgetLogOf, removedWebhook } from '#storage/old-deliveries.ts'
import { roundOfWorkspaces } from './workspaces.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** Each has some attempts, which go with it. */
const AT_ONCE = 200

/** Forgets deliveries after 30 days, those that still wait excepted (contract 7.3). */
export function forgetDeliveries(storage: Storage): () => Promise<boolean> {
  /** How far the walk through the workspace has come, past those that still wait. */
  let after = ''
  return roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const before = firstIdAt('dlv', storage.clock.now() - KEPT_MS)
    const old = await storage.read(actor, (tx) =>
      tx.all(deliveriesBetween, { after, before, limit: AT_ONCE }),
    )
    const over = old.filter(({ status }) => status !== 'pending')
    if (over.length > 0) await storage.write(actor, (tx) => forget(tx, over))
    after = (old.length === AT_ONCE && old.at(-1)?.id) || ''
    return after !== ''
  })
}

/** Removes what deleted webhooks were sent. Nobody sees it since they were deleted. */
export const forgetLogs = (storage: Storage) =>
  roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const removed = await storage.read(actor, (tx) => tx.one(removedWebhook, {}))
    if (!removed) return false
    await storage.write(actor, (tx) => forgetLogOf(tx, removed.webhook_id, AT_ONCE))
    return true
  })
