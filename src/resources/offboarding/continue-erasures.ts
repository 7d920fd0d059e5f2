import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { nextBegunErasure } from '#db/retention/person-erasure.ts'
import { finishErasure } from './erase-person.ts'

/**
 * The periodic job that finishes an erasure whose process has died before the account was a tombstone.
 * It may meet one that is still running: both do each step only if the other has not.
 */
export const continueErasures = (storage: Storage) => ({
  name: 'begun erasures',
  intervalMs: 5_000,
  async run(): Promise<boolean> {
    const begun = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(nextBegunErasure, {}))
    if (!begun) return false
    const actor = { ...ANONYMOUS_ACTOR, role: 'owner' } as const
    await finishErasure(storage, begun.id, (workspace_id) => ({ ...actor, workspace_id }))
    return true
  },
})
