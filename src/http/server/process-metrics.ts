import { Counter, Gauge, type Registry } from 'prom-client'
import type { Storage } from '#core/transaction.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'

/**
 * Registers the metrics of a process: build information, requests in flight, commits and
 * connections. All values are read at scrape time, so they cost the requests nothing.
 */
export function registerProcessMetrics(
  registry: Registry,
  storage: Storage,
  load: { requests: number },
): void {
  const registers = [registry]
  new Gauge({
    name: 'docket_build_info',
    help: 'Build information: version, commit, schema version, Node and engine (always 1)',
    labelNames: ['version', 'commit', 'schema', 'node', 'engine'],
    aggregator: 'max',
    registers,
  }).set({ ...BUILD_INFO, engine: storage.engine }, 1)
  new Gauge({
    name: 'docket_http_requests_in_flight',
    help: 'Requests that are being served',
    registers,
    collect() {
      this.set(load.requests)
    },
  })
  registerWriteMetrics(registry, storage)
  if (storage.stats().connections) registerPoolMetrics(registry, storage)
}

function registerWriteMetrics(registry: Registry, storage: Storage): void {
  const registerTotal = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  const { stats } = storage
  registerTotal(
    'docket_storage_commits_total',
    'Commits, each of some writes',
    () => stats().commits,
  )
  registerTotal('docket_storage_writes_total', 'Writes that were committed', () => stats().writes)
  registerTotal(
    'docket_storage_commit_seconds_total',
    'How long commits took in all, from the first write of each until it was on the disk',
    () => stats().seconds,
  )
  new Gauge({
    name: 'docket_storage_writes_waiting',
    help: 'Writes that wait for the commit after the one that is under way',
    registers: [registry],
    collect() {
      this.set(stats().queuedWrites)
    },
  })
}

function registerPoolMetrics(registry: Registry, { stats }: Storage): void {
  new Gauge({
    name: 'docket_postgres_connections',
    help: 'Connections to PostgreSQL, by whether they are idle or in use',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, idle } = stats().connections ?? { open: 0, idle: 0 }
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'used' }, open - idle)
    },
  })
  new Gauge({
    name: 'docket_postgres_connections_awaited',
    help: 'Who waits for a connection to PostgreSQL to become free',
    registers: [registry],
    collect() {
      this.set(stats().connections?.awaited ?? 0)
    },
  })
}
