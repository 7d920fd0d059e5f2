import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteExpiredRows } from '#db/retention/expired-rows.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

/** How long an expired invitation stays visible, so that it can be renewed. */
const VISIBLE_MS = 30 * DAY_MS
const MAX_ROWS = 500

/** Purges invitations that nobody has accepted, with their email addresses. */
export const purgeExpiredInvitations = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now() - VISIBLE_MS)
  const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    tx.run(deleteExpiredRows('invitations'), { now, limit: MAX_ROWS }),
  )
  return purged === MAX_ROWS
}
