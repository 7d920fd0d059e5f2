import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  addRequestCounts,
  COUNTS_AT_ONCE,
  forgetOldCounts,
  type RequestCount,
} from '#storage/request-counts.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** So many share a commit, where the engine lets them. */
const AT_ONCE = 50

/** What the limits have counted and nobody has written down. */
export interface Counted {
  take(): Map<string, RequestCount[]>
}

/** Writes down what was asked, a small statement for each workspace that asked. */
export const writeRequests = (storage: Storage, usage: Counted) => async (): Promise<boolean> => {
  const taken = [...usage.take()]
  for (let at = 0; at < taken.length; at += AT_ONCE) {
    await Promise.all(
      taken
        .slice(at, at + AT_ONCE)
        .map(([workspace_id, counts]) =>
          storage.write({ ...NOBODY, workspace_id }, (tx) => tx.run(addRequestCounts, { counts })),
        ),
    )
  }
  return false
}

/** Forgets what was asked more than 24 hours ago. */
export const forgetRequests = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - KEPT_MS)
  const forgotten = await storage.write(NOBODY, (tx) => tx.run(forgetOldCounts, { before }))
  return forgotten >= COUNTS_AT_ONCE
}
