import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { deleteEndedJobs, endOfSurplusJobs } from '#db/jobs/job-statements.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

const MAX_ROWS = 500
/** Of each status, so that the table stays small however many jobs there are. */
const MAX_ENDED_JOBS = 10_000
const RETENTION_DAYS = { done: 1, failed: 30 }

/** Purges jobs that have ended: after their retention, or when there are too many of them. */
export const purgeEndedJobs = (storage: Storage) => async (): Promise<boolean> => {
  let hasMore = false
  for (const status of ['done', 'failed'] as const) {
    const old = timestampOf(storage.clock.now() - RETENTION_DAYS[status] * DAY_MS)
    const surplus = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(endOfSurplusJobs, { status, kept: MAX_ENDED_JOBS }),
    )
    const before = surplus?.ended_at && surplus.ended_at > old ? surplus.ended_at : old
    const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteEndedJobs, { status, before, limit: MAX_ROWS }),
    )
    hasMore ||= purged === MAX_ROWS
  }
  return hasMore
}
