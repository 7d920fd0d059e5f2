import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { FORGOTTEN_AT_ONCE, forgetOldReplies } from '#storage/upkeep.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** Forgets the replies that were kept for idempotency keys, after 24 hours (contract 1.9). */
export const forgetReplies = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - KEPT_MS)
  const forgotten = await storage.write(NOBODY, (tx) => tx.run(forgetOldReplies, { before }))
  return forgotten >= FORGOTTEN_AT_ONCE
}
