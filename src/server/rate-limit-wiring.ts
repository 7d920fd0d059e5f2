import { setTimeout as pause } from 'node:timers/promises'
import { Counter as Metric, type Registry } from 'prom-client'
import type { Config } from '#config/config.ts'
import type { Logger } from '#http/server/log.ts'
import { createMemoryCounter, type RateLimitCounter } from '#rate-limits/memory-counter.ts'
import {
  createSharedCounter,
  type OpenRateLimitStore,
  type StoreHealthListener,
} from '#rate-limits/shared-counter.ts'
import { createStoreClock } from '#rate-limits/store-clock.ts'

/** The rate limit counters and their connection. */
interface RateLimitBackend {
  counter: RateLimitCounter
  /** The clock of the minutes that are counted, in milliseconds since 1970. */
  now: () => number
  /**
   * Resolves when the store is reached, or after a second: until then each process counts alone.
   */
  ready(): Promise<unknown>
  close(): Promise<void>
}

/**
 * Opens the counters of the rate limits (docs/spec/api.md#how-requests-are-counted): in Redis if configured; else in PostgreSQL
 * if that is the database, because other processes may serve it too; else in the memory of this
 * process. `ownClock` counts until the time of a store is known.
 */
export async function openRateLimitCounter(
  { redisUrl, databaseUrl }: Pick<Config, 'redisUrl' | 'databaseUrl'>,
  log: Logger,
  registry: Registry,
  ownClock: () => number = Date.now,
): Promise<RateLimitBackend> {
  const { now, follow } = createStoreClock(ownClock)
  const store = await openStore(redisUrl, databaseUrl, follow)
  if (!store)
    return { counter: createMemoryCounter(), now: ownClock, ready: doNothing, close: doNothing }
  const losses = new Metric({
    name: 'docket_limit_store_losses_total',
    help: 'How often the shared rate limit counters became unavailable',
    registers: [registry],
  })
  const health: StoreHealthListener = {
    onLost(err) {
      losses.inc()
      log.error({ err }, 'The store of the shared rate limits does not answer')
    },
    onRecovered: () => log.info({}, 'The store of the shared rate limits answers again'),
  }
  const counter = createSharedCounter(store, health, now)
  const ready = () =>
    Promise.race([store.ready(), pause(READY_TIMEOUT_MS, undefined, { ref: false })])
  return { counter, now, ready, close: () => store.close() }
}

async function openStore(
  redisUrl: string | undefined,
  databaseUrl: string | undefined,
  onTime: (ms: number) => void,
): Promise<OpenRateLimitStore | undefined> {
  if (redisUrl) {
    const { createRedisStore } = await import('#rate-limits/redis-store.ts')
    // Only on PostgreSQL can there be several processes.
    if (!databaseUrl) return createRedisStore(redisUrl, onTime)
    const { createLimitProcesses } = await import('#db/postgres/limit-processes.ts')
    return createRedisStore(redisUrl, onTime, createLimitProcesses(databaseUrl))
  }
  if (databaseUrl)
    return (await import('#db/postgres/rate-windows.ts')).createRateWindows(databaseUrl, onTime)
  return undefined
}

const READY_TIMEOUT_MS = 1_000
const doNothing = async () => {}
