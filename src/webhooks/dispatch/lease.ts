import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  claimWorkspace,
  currentClaim,
  deleteDeadDispatchers,
  deleteLease,
  renewLease,
} from './store.ts'

/** A dispatcher that has not renewed its lease for this long counts as dead: others take over. */
export const DISPATCHER_LEASE_TTL_MS = 30_000
const RENEW_INTERVAL_MS = 10_000
/** Dead dispatchers are deleted with every so many renewals. */
const RENEWALS_PER_CLEANUP = 6
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
 * Renews the lease of dispatcher `id` at intervals. An embedded database has no other dispatcher: there
 * the lease is taken once, and ends with the next start at the latest.
 */
export async function startLease(
  storage: Storage,
  id: string,
  onError: (error: unknown) => void,
): Promise<DispatcherLease> {
  const isEmbedded = storage.engine === 'sqlite'
  let renewedAt = Number.NEGATIVE_INFINITY
  let renewals = 0

  async function renew(): Promise<void> {
    const at = performance.now()
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const now = storage.clock.now()
      const end = now + DISPATCHER_LEASE_TTL_MS
      await tx.run(renewLease, { id, alive_until: timestampOf(end) })
      if (renewals % RENEWALS_PER_CLEANUP !== 0) return
      await tx.run(deleteDeadDispatchers, {
        alive_before: timestampOf(isEmbedded ? end : now - DISPATCHER_LEASE_TTL_MS),
        alive_after: timestampOf(isEmbedded ? end : end + MAX_CLOCK_SKEW_MS),
      })
    })
    renewedAt = at
    renewals += 1
  }

  await renew()
  const timer = isEmbedded
    ? undefined
    : setInterval(() => renew().catch(onError), RENEW_INTERVAL_MS)
  return {
    isValid: () => isEmbedded || performance.now() - renewedAt < SAFE_TTL_MS,
    async release() {
      clearInterval(timer)
      await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteLease, { id }))
    },
  }
}

/**
 * The right to send for one workspace. Only its holder sends. Every write checks the token of the
 * claim, a fencing token, so that a late write by a dispatcher that has lost the claim is dropped.
 */
export class WorkspaceClaim {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #dispatcher_id: string
  /** Undefined until the claim is acquired, and after it is lost. */
  #token: number | undefined

  constructor(storage: Storage, actor: Actor, dispatcher_id: string) {
    this.#storage = storage
    this.#actor = actor
    this.#dispatcher_id = dispatcher_id
  }

  /** Whether the given token, the current one of the workspace, belongs to this claim. */
  hasToken(token: number): boolean {
    return this.#token === token
  }

  /** Takes the workspace over, unless another live dispatcher holds it. */
  async acquire(): Promise<boolean> {
    this.#token = await this.#storage.write(this.#actor, async (tx) => {
      const updated = await tx.run(claimWorkspace, {
        dispatcher_id: this.#dispatcher_id,
        now: tx.now,
      })
      return updated === 1 ? (await tx.one(currentClaim, {}))?.dispatch_token : undefined
    })
    return this.#token !== undefined
  }

  /** Writes as the holder of the claim; does nothing and returns undefined when it is lost. */
  async writeAsHolder<T>(work: (tx: WriteTx) => Promise<T>): Promise<T | undefined> {
    const token = this.#token
    const done = await this.#storage.write(this.#actor, async (tx) => {
      const state = await tx.one(currentClaim, {})
      return state?.dispatch_token === token ? { value: await work(tx) } : undefined
    })
    if (!done && this.#token === token) this.#token = undefined
    return done?.value
  }
}
