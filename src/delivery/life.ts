import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { beat, forgetDispatchers, leave } from './store.ts'

/** A dispatcher that has not been heard of for so long is taken for dead: others take over. */
export const LEASE_MS = 30_000
const BEAT_MS = 10_000
/** It stops by itself before others may begin. */
const SURE_MS = 25_000
/** The clocks of machines do not differ by more. */
const SKEW_MS = 5 * 60_000

/** The sign of life of a dispatcher, by which its claims hold. */
export interface Life {
  /** Whether its claims hold still; after a long sleep they may not. */
  sure(): boolean
  /** Gives all its claims back. */
  end(): Promise<void>
}

/** Shows that dispatcher `id` lives, again and again. Nobody else can serve an embedded database. */
export async function live(
  storage: Storage,
  id: string,
  onError: (error: unknown) => void,
): Promise<Life> {
  let shown = Number.NEGATIVE_INFINITY

  async function show(): Promise<void> {
    const at = performance.now()
    await storage.write(NOBODY, async (tx) => {
      const now = storage.clock.now()
      await tx.run(beat, { id, alive_until: timestampOf(now + LEASE_MS) })
      const alone = storage.engine === 'sqlite'
      await tx.run(forgetDispatchers, {
        alive_before: timestampOf(alone ? now + LEASE_MS : now - LEASE_MS),
        alive_after: timestampOf(alone ? now + LEASE_MS : now + LEASE_MS + SKEW_MS),
      })
    })
    shown = at
  }

  await show()
  const timer = setInterval(() => show().catch(onError), BEAT_MS)
  return {
    sure: () => performance.now() - shown < SURE_MS,
    async end() {
      clearInterval(timer)
      await storage.write(NOBODY, (tx) => tx.run(leave, { id }))
    },
  }
}
