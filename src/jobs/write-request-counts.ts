import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  addRequestCounts,
  deleteOldRequestCounts,
  REQUEST_COUNT_BATCH_SIZE,
  type RequestCount,
} from '#db/workspaces/request-counts.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

const RETENTION_MS = DAY_MS
/** How many writes share a commit, if the engine supports it. */
const MAX_WRITES = 50

/** Takes the request counts that are not stored yet. */
export interface RequestCountSource {
  drain(): Map<string, RequestCount[]>
}

/** Stores the request counts, with a small statement for each workspace. */
export const writeRequestCounts =
  (storage: Storage, usage: RequestCountSource) => async (): Promise<boolean> => {
    const pending = [...usage.drain()]
    for (let at = 0; at < pending.length; at += MAX_WRITES) {
      await Promise.all(
        pending
          .slice(at, at + MAX_WRITES)
          .map(([workspace_id, counts]) =>
            storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
              tx.run(addRequestCounts, { counts }),
            ),
          ),
      )
    }
    return false
  }

/** Purges request counts older than 24 hours. */
export const purgeRequestCounts = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - RETENTION_MS)
  const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    tx.run(deleteOldRequestCounts, { before }),
  )
  return purged >= REQUEST_COUNT_BATCH_SIZE
}
