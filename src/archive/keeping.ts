import type { Actor } from '#core/actor.ts'
import { conflict } from '#core/refusal.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { goOnImporting } from '#storage/imports.ts'

/** An import of which nothing is heard for so long was killed. */
const SILENT_MS = 60_000
const AGAIN_MS = 15_000

export const untilOf = ({ instant }: WriteTx): string => timestampOf(instant + SILENT_MS)

/** A transaction of an import. */
export type Step = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>

/**
 * Does the work of an import, and says again and again that it goes on. Every step looks first whether
 * it was given up meanwhile, as after a long sleep of the machine: then nothing is added any more.
 */
export async function keeping<T>(
  storage: Storage,
  actor: Actor,
  work: (step: Step) => Promise<T>,
): Promise<T> {
  const step: Step = (doing) =>
    storage.write(actor, async (tx) => {
      if ((await tx.run(goOnImporting, { until: untilOf(tx) })) === 0) {
        throw conflict('import_given_up', 'The import stood still for too long: begin it anew.')
      }
      return doing(tx)
    })
  let lost: unknown
  const timer = setInterval(() => {
    step(async () => {}).catch((error: unknown) => {
      lost = error
    })
  }, AGAIN_MS)
  try {
    const done = await work(async (doing) => {
      if (lost !== undefined) throw lost
      return step(doing)
    })
    return done
  } finally {
    clearInterval(timer)
  }
}
