import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteUnusedApplications } from '#db/access/oauth-grants.ts'
import { deleteExpiredRows } from '#db/retention/expired-rows.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

const MAX_ROWS = 500
/** How long a self-registered application is kept without a grant. */
const UNUSED_TTL_MS = 30 * DAY_MS

/** Purges expired codes, tokens and grants, and self-registered applications without a grant. */
export const purgeExpiredGrants = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now())
  const before = timestampOf(storage.clock.now() - UNUSED_TTL_MS)
  const purged = [
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteExpiredRows('oauth_records'), { now, limit: MAX_ROWS }),
    ),
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteExpiredRows('grants'), { now, limit: MAX_ROWS }),
    ),
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteUnusedApplications, { before, limit: MAX_ROWS }),
    ),
  ]
  return purged.includes(MAX_ROWS)
}
