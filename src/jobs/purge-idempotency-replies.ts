import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteReplies, oldestReplies } from '#db/retention/purge.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

const RETENTION_MS = DAY_MS
/** Replies deleted per step, so that other writers do not wait long. */
const BATCH_SIZE = 200

/** Purges the responses stored for idempotency keys after 24 hours (docs/spec/api.md#idempotency-key). */
export const purgeIdempotencyReplies = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - RETENTION_MS)
  const oldest = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(oldestReplies, { before, limit: BATCH_SIZE }),
  )
  const old = takeSized(oldest, MAX_STEP_BYTES)
  for (const [workspace_id, replies] of Map.groupBy(old, (reply) => reply.workspace_id)) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) => deleteReplies(tx, replies))
  }
  return oldest.length === BATCH_SIZE || old.length < oldest.length
}
