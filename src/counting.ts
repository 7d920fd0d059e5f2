import { setTimeout as pause } from 'node:timers/promises'
import { Counter as Metric, type Registry } from 'prom-client'
import type { Log } from '#http/log.ts'
import { type Counter, memoryCounter } from '#limits/counter.ts'
import { type OpenStore, sharedCounter } from '#limits/shared.ts'
import type { Config } from './config.ts'

/** What is spent of limits, and how it is given back. */
interface Counting {
  counter: Counter
  /** Ends when the store has been reached, or a second later: until then each process counts alone. */
  ready(): Promise<unknown>
  close(): Promise<void>
}

/**
 * Where limits are counted (contract 5.1): in Redis where it is set, else in PostgreSQL where the
 * database is one, as other processes may serve it too; else in the memory of this process.
 */
export async function openCounting(
  { redisUrl, databaseUrl }: Pick<Config, 'redisUrl' | 'databaseUrl'>,
  log: Log,
  registry: Registry,
): Promise<Counting> {
  const store = await storeFor(redisUrl, databaseUrl)
  if (!store) return { counter: memoryCounter(), ready: NOTHING, close: NOTHING }
  const losses = new Metric({
    name: 'docket_limit_store_losses_total',
    help: 'How often the shared counters of limits were given up for a while',
    registers: [registry],
  })
  const counter = sharedCounter(store, {
    lost(err) {
      losses.inc()
      log.error({ err }, 'The counters of limits do not answer: this process counts alone')
    },
    found: () => log.info({}, 'The counters of limits answer again'),
  })
  const ready = () => Promise.race([store.ready(), pause(READY_MS, undefined, { ref: false })])
  return { counter, ready, close: () => store.close() }
}

async function storeFor(
  redisUrl: string | undefined,
  databaseUrl: string | undefined,
): Promise<OpenStore | undefined> {
  if (redisUrl) return (await import('#limits/redis.ts')).redisStore(redisUrl)
  if (databaseUrl) return (await import('#storage/rate-windows.ts')).rateWindows(databaseUrl)
  return undefined
}

const READY_MS = 1_000
const NOTHING = async () => {}
