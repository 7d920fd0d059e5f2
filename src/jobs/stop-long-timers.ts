import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { overdueTimerOfUser, overdueTimers } from '#db/retention/purge.ts'
import { emitTimersStopped, MAX_TIME_ENTRY_MS, stopTimers } from '#db/tasks/timers.ts'
import { timestampOf } from '#lib/clock.ts'

const MAX_TIMERS = 50

/** Stops the timers that have run for 24 hours, at 24 hours (docs/spec/api.md#time-entry). */
export const stopLongTimers = (storage: Storage) => async (): Promise<boolean> => {
  const started_before = timestampOf(storage.clock.now() - MAX_TIME_ENTRY_MS)
  const timers = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(overdueTimers, { started_before, limit: MAX_TIMERS }),
  )
  for (const { workspace_id, user_id } of timers) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      // The person may have started another timer meanwhile.
      const isOverdue = await tx.one(overdueTimerOfUser, { user_id, started_before })
      if (isOverdue) await emitTimersStopped(tx, await stopTimers(tx, { user_id }))
    })
  }
  return timers.length === MAX_TIMERS
}
