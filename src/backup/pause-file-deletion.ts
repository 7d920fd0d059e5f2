import { randomUUID } from 'node:crypto'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { holdFileDeletions, releaseFileDeletions } from '#db/retention/pending-file-deletions.ts'
import { timestampOf } from '#lib/clock.ts'

/** If this process is killed, files are deleted again after this long. */
const HOLD_TTL_MS = 10 * 60_000
const RENEW_INTERVAL_MS = 60_000

/**
 * Pauses the deletion of files while `work` runs, so that every row that is copied meanwhile still
 * has its file when the files are copied.
 */
export async function withFileDeletionPaused<T>(
  storage: Storage,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const hold = () => {
    const until = timestampOf(storage.clock.now() + HOLD_TTL_MS)
    return storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(holdFileDeletions, { holder, until }))
  }
  let holdError: unknown
  await hold()
  const timer = setInterval(() => {
    hold().catch((error) => {
      holdError = error
    })
  }, RENEW_INTERVAL_MS)
  try {
    const result = await work()
    if (holdError !== undefined) throw holdError
    return result
  } finally {
    clearInterval(timer)
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(releaseFileDeletions, { holder, now: tx.now }),
    )
  }
}
