import { Pool } from 'undici'
import type { WebhookTargetPolicy } from '#core/operator-settings.ts'
import type { AttemptDestination } from './address-guard.ts'
import { createPinnedConnector } from './pinned-connector.ts'

/** Keep-alive connections for further attempts, each to an address that was checked. */
export interface ConnectionPools {
  /** The pool of a destination that connects to these addresses and no others. */
  getPool(target: AttemptDestination, addresses: readonly string[]): Pool
  /** Destroys all connections. */
  close(): Promise<void>
}

const MAX_POOLS = 256
const IDLE_TTL_MS = 30_000

/**
 * Receivers close connections after as little as 2 s idle, often without notice, and an event sent
 * at that moment is lost. A Keep-Alive header of the receiver is honoured up to the second number.
 */
const KEEP_ALIVE = { keepAliveTimeout: 1_500, keepAliveMaxTimeout: 4_000 }
const RESPONSE_LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0 }

/**
 * Pools by origin and addresses: an attempt reuses only connections to addresses it has checked.
 */
export function createConnectionPools(
  targets: WebhookTargetPolicy,
  connectMs: number,
): ConnectionPools {
  /** In order of last use. */
  const pools = new Map<string, { pool: Pool; usedAt: number }>()

  const retire = (key: string, pool: Pool) => {
    pools.delete(key)
    void pool.close()
  }
  const sweepTimer = setInterval(() => {
    const idleSince = performance.now() - IDLE_TTL_MS
    for (const [key, { pool, usedAt }] of pools) {
      if (usedAt > idleSince) return
      retire(key, pool)
    }
  }, IDLE_TTL_MS / 2)
  sweepTimer.unref()

  const open = (target: AttemptDestination, addresses: readonly string[]) =>
    new Pool(target.origin, {
      ...KEEP_ALIVE,
      ...RESPONSE_LIMITS,
      allowH2: false,
      connect: createPinnedConnector(target, addresses, targets, connectMs),
    })

  return {
    getPool(target, addresses) {
      const key = `${target.origin} ${[...addresses].sort().join()}`
      const entry = pools.get(key) ?? { pool: open(target, addresses), usedAt: 0 }
      entry.usedAt = performance.now()
      pools.delete(key)
      pools.set(key, entry)
      const [first] = pools
      if (pools.size > MAX_POOLS && first) retire(first[0], first[1].pool)
      return entry.pool
    },
    async close() {
      clearInterval(sweepTimer)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
    },
  }
}
