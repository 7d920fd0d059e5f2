import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteOldReplies } from '#db/retention/purge.ts'
import { timestampOf } from '#lib/clock.ts'

const RETENTION_MS = 24 * 60 * 60 * 1000

/** Purges the responses stored for idempotency keys after 24 hours (docs/spec/api.md#idempotency-key). */
export const purgeIdempotencyReplies = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - RETENTION_MS)
  const purged = await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteOldReplies, { before }))
  return purged > 0
}
