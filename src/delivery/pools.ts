import { Pool } from 'undici'
import type { WebhookTargets } from '#core/settings.ts'
import { pinnedConnector } from './connect.ts'
import type { Target } from './guard.ts'

/** Connections that are kept for the next attempts, each of them to a checked address. */
export interface Pools {
  /** The connections of a target to these addresses and no others. */
  poolOf(target: Target, addresses: readonly string[]): Pool
  /** Cuts all of them. */
  close(): Promise<void>
}

const MOST_POOLS = 256
const IDLE_MS = 30_000

/**
 * Receivers close what is idle for as little as 2 s, often without a word, and an event that meets this
 * is lost on the way. A hint by Keep-Alive is honoured up to the second figure.
 */
const KEEP_ALIVE = { keepAliveTimeout: 1_500, keepAliveMaxTimeout: 4_000 }
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0 }

/** Pools by origin and addresses, so that what an attempt reuses leads to where it has looked. */
export function pinnedPools(targets: WebhookTargets, connectMs: number): Pools {
  /** Those used last stand last. */
  const pools = new Map<string, { pool: Pool; usedAt: number }>()

  const retire = (key: string, pool: Pool) => {
    pools.delete(key)
    void pool.close()
  }
  const sweep = setInterval(() => {
    const oldest = performance.now() - IDLE_MS
    for (const [key, { pool, usedAt }] of pools) {
      if (usedAt > oldest) return
      retire(key, pool)
    }
  }, IDLE_MS / 2)
  sweep.unref()

  const open = (target: Target, addresses: readonly string[]) =>
    new Pool(target.origin, {
      ...KEEP_ALIVE,
      ...LIMITS,
      allowH2: false,
      connect: pinnedConnector(target, addresses, targets, connectMs),
    })

  return {
    poolOf(target, addresses) {
      const key = `${target.origin} ${[...addresses].sort().join()}`
      const entry = pools.get(key) ?? { pool: open(target, addresses), usedAt: 0 }
      entry.usedAt = performance.now()
      pools.delete(key)
      pools.set(key, entry)
      const [first] = pools
      if (pools.size > MOST_POOLS && first) retire(first[0], first[1].pool)
      return entry.pool
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
    },
  }
}
