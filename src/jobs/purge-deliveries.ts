import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  deleteDeliveries,
  deleteLogOfRemovedWebhook,
  deliveriesBetween,
  removedWebhook,
} from '#db/deliveries/delivery-retention.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { DAY_MS } from '#lib/durations.ts'
import { firstIdAt } from '#lib/id.ts'
import { forEachWorkspace } from './for-each-workspace.ts'

const RETENTION_MS = 30 * DAY_MS
/** Each has some attempts, which are deleted with it. */
const MAX_DELIVERIES = 200

/** Purges deliveries after 30 days, except those still pending (docs/spec/api.md#extensions). */
export function purgeOldDeliveries(storage: Storage): () => Promise<boolean> {
  /** The last delivery read in a workspace, past those still pending. */
  let position = { workspace_id: '', after: '' }
  return forEachWorkspace(storage, async (workspace_id) => {
    // After an error the next workspace is begun, from its start.
    const after = position.workspace_id === workspace_id ? position.after : ''
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const before = firstIdAt('dlv', storage.clock.now() - RETENTION_MS)
    const oldest = await storage.read(actor, (tx) =>
      tx.all(deliveriesBetween, { after, before, limit: MAX_DELIVERIES }),
    )
    const old = takeSized(oldest, MAX_STEP_BYTES)
    const ended = old.filter(({ status }) => status !== 'pending')
    if (ended.length > 0) await storage.write(actor, (tx) => deleteDeliveries(tx, ended))
    const hasMore = old.length === MAX_DELIVERIES || old.length < oldest.length
    const last = hasMore ? old.at(-1) : undefined
    position = { workspace_id, after: last?.id ?? '' }
    return last !== undefined
  })
}

/** Purges the deliveries of deleted webhooks, which nobody can see any more. */
export const purgeDeletedWebhookLogs = (storage: Storage) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const removed = await storage.read(actor, (tx) => tx.one(removedWebhook, {}))
    if (!removed) return false
    await storage.write(actor, (tx) =>
      deleteLogOfRemovedWebhook(tx, removed.webhook_id, MAX_DELIVERIES),
    )
    return true
  })
