import { randomUUID } from 'node:crypto'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { holdFiles, letFilesGo } from '#storage/files.ts'

/** After a kill upkeep waits so long before it takes files away again. */
const HELD_MS = 10 * 60_000
const AGAIN_MS = 60_000

/**
 * Keeps upkeep from taking files away while work goes on, so that every row that is copied meanwhile
 * still has its file when the files are copied.
 */
export async function holdingFiles<T>(storage: Storage, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID()
  const hold = () => {
    const until = timestampOf(storage.clock.now() + HELD_MS)
    return storage.write(NOBODY, (tx) => tx.run(holdFiles, { holder, until }))
  }
  let lost: unknown
  await hold()
  const timer = setInterval(() => {
    hold().catch((error) => {
      lost = error
    })
  }, AGAIN_MS)
  try {
    const done = await work()
    if (lost !== undefined) throw lost
    return done
  } finally {
    clearInterval(timer)
    await storage.write(NOBODY, (tx) => tx.run(letFilesGo, { holder, now: tx.now }))
  }
}
