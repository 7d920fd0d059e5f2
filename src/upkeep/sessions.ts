import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { forgetExpired } from '#storage/expired.ts'

const AT_ONCE = 500

/** Forgets sessions that have ended, links and steps that are too old, and attempts that count no more. */
export const forgetSessions = (storage: Storage) => async (): Promise<boolean> => {
  const now = timestampOf(storage.clock.now())
  let more = false
  for (const table of ['sessions', 'password_resets', 'sign_in_steps', 'attempts'] as const) {
    const forgotten = await storage.write(NOBODY, (tx) =>
      tx.run(forgetExpired(table), { now, limit: AT_ONCE }),
    )
    more ||= forgotten === AT_ONCE
  }
  return more
}
