import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { stopTimers } from '#storage/timers.ts'
import { isTimerOverdue, overdueTimers } from '#storage/upkeep.ts'

const LONGEST_MS = 24 * 60 * 60 * 1000
const AT_ONCE = 50

/** Stops the timers that have run for 24 hours, as of then (contract 6.4). */
export const stopLongTimers = (storage: Storage) => async (): Promise<boolean> => {
  const started_before = timestampOf(storage.clock.now() - LONGEST_MS)
  const timers = await storage.read(NOBODY, (tx) =>
    tx.all(overdueTimers, { started_before, limit: AT_ONCE }),
  )
  for (const { workspace_id, user_id } of timers) {
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      // Meanwhile the person may have begun another one.
      const overdue = await tx.one(isTimerOverdue, { user_id, started_before })
      if (overdue) await stopTimers(tx, { user_id })
    })
  }
  return timers.length === AT_ONCE
}
