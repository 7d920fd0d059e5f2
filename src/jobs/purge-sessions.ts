import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteExpiredRows } from '#db/retention/expired-rows.ts'
import { timestampOf } from '#lib/clock.ts'

const MAX_ROWS = 500

/** Purges expired sessions, password resets, sign-in steps and attempt counters. */
export const purgeExpiredSessions = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now())
  let hasMore = false
  for (const table of ['sessions', 'password_resets', 'sign_in_steps', 'attempts'] as const) {
    const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteExpiredRows(table), { now, limit: MAX_ROWS }),
    )
    hasMore ||= purged === MAX_ROWS
  }
  return hasMore
}
