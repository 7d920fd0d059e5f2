import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { forgetExpired } from '#storage/expired.ts'

/** So long an expired invitation can still be seen, to be made again. */
const SEEN_MS = 30 * 24 * 60 * 60 * 1000
const AT_ONCE = 500

/** Forgets invitations that nobody has accepted, and with them the addresses. */
export const forgetInvitations = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now() - SEEN_MS)
  const forgotten = await storage.write(NOBODY, (tx) =>
    tx.run(forgetExpired('invitations'), { now, limit: AT_ONCE }),
  )
  return forgotten === AT_ONCE
}
