import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { forgetExpired } from '#storage/expired.ts'
import { forgetUnusedApplications } from '#storage/oauth.ts'

const AT_ONCE = 500
/** So long an application that registered itself waits for somebody who allows it anything. */
const WAITS_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Forgets codes and tokens that have expired, grants that nobody uses any more, and applications that
 * registered themselves for nothing.
 */
export const forgetGrants = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now())
  const before = timestampOf(storage.clock.now() - WAITS_MS)
  const forgotten = [
    await storage.write(NOBODY, (tx) =>
      tx.run(forgetExpired('oauth_records'), { now, limit: AT_ONCE }),
    ),
    await storage.write(NOBODY, (tx) => tx.run(forgetExpired('grants'), { now, limit: AT_ONCE })),
    await storage.write(NOBODY, (tx) =>
      tx.run(forgetUnusedApplications, { before, limit: AT_ONCE }),
    ),
  ]
  return forgotten.includes(AT_ONCE)
}
