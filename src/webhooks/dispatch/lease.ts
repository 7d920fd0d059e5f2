import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { deleteDeadDispatchers, deleteLease, renewLease } from './store.ts'

/** A dispatcher that has not renewed its lease for this long counts as dead: others take over. */
export const DISPATCHER_LEASE_TTL_MS = 30_000
const RENEW_INTERVAL_MS = 10_000
/** It stops by itself before others may take over. */
const SAFE_TTL_MS = 25_000
/** The largest difference assumed between the clocks of two machines. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000

/** The lease of a dispatcher: its claims are valid as long as it is renewed. */
export interface DispatcherLease {
  /** Whether its claims are still valid; after a long sleep they may not be. */
  isValid(): boolean
  /** Releases all its claims. */
  release(): Promise<void>
}

/**
 * Renews the lease of dispatcher `id` at intervals. An embedded database has no other dispatcher.
 */
export async function startLease(
  storage: Storage,
  id: string,
  onError: (error: unknown) => void,
): Promise<DispatcherLease> {
  let renewedAt = Number.NEGATIVE_INFINITY

  async function renew(): Promise<void> {
    const at = performance.now()
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const now = storage.clock.now()
      await tx.run(renewLease, { id, alive_until: timestampOf(now + DISPATCHER_LEASE_TTL_MS) })
      const isEmbedded = storage.engine === 'sqlite'
      await tx.run(deleteDeadDispatchers, {
        alive_before: timestampOf(
          isEmbedded ? now + DISPATCHER_LEASE_TTL_MS : now - DISPATCHER_LEASE_TTL_MS,
        ),
        alive_after: timestampOf(
          isEmbedded
            ? now + DISPATCHER_LEASE_TTL_MS
            : now + DISPATCHER_LEASE_TTL_MS + MAX_CLOCK_SKEW_MS,
        ),
      })
    })
    renewedAt = at
  }

  await renew()
  const timer = setInterval(() => renew().catch(onError), RENEW_INTERVAL_MS)
  return {
    isValid: () => performance.now() - renewedAt < SAFE_TTL_MS,
    async release() {
      clearInterval(timer)
      await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteLease, { id }))
    },
  }
}
