import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Storage } from '#core/tx.ts'
import type { House } from './house.ts'

const MANIFEST = join(import.meta.dirname, '../../package.json')

/** Which Docket this is. */
export const { version: VERSION } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as {
  version: string
}

/**
 * Registers what an operator asks of a process: which Docket it is, what it serves just now, and how its
 * writing goes. All of it is looked up when somebody reads it, and costs the requests nothing.
 */
export function figures({ registry, storage, load }: Pick<House, 'registry' | 'storage' | 'load'>) {
  const registers = [registry]
  new Gauge({
    name: 'docket_build_info',
    help: 'Always 1: which Docket this is, on which Node and engine',
    labelNames: ['version', 'node', 'engine'],
    aggregator: 'max',
    registers,
  }).set({ version: VERSION, node: process.version, engine: storage.engine }, 1)
  new Gauge({
    name: 'docket_http_requests_in_flight',
    help: 'Requests that are being served',
    registers,
    collect() {
      this.set(load.requests)
    },
  })
  figuresOfWriting(registry, storage)
  const { connections, replica } = storage.vitals()
  if (connections) figuresOfPool(registry, storage)
  if (replica) figuresOfReplica(registry, storage)
}

function figuresOfReplica(registry: Registry, { vitals }: Storage): void {
  new Counter({
    name: 'docket_replica_reads_total',
    help: 'Reads for which there is a replica, by who did them: the primary does when it lags or is gone',
    labelNames: ['by'],
    registers: [registry],
    collect() {
      const { replica = 0, primary = 0 } = vitals().replica ?? {}
      this.reset()
      this.inc({ by: 'replica' }, replica)
      this.inc({ by: 'primary' }, primary)
    },
  })
  new Gauge({
    name: 'docket_replica_behind_bytes',
    help: 'How much of the log of the primary the replica lacked when it was last asked',
    registers: [registry],
    collect() {
      this.set(vitals().replica?.behind ?? 0)
    },
  })
}

function figuresOfWriting(registry: Registry, storage: Storage): void {
  const total = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  const { vitals } = storage
  total('docket_storage_commits_total', 'Commits, each of some writes', () => vitals().commits)
  total('docket_storage_writes_total', 'Writes that were committed', () => vitals().writes)
  total(
    'docket_storage_commit_seconds_total',
    'How long commits took in all, from the first write of each until it was on the disk',
    () => vitals().seconds,
  )
  new Gauge({
    name: 'docket_storage_writes_waiting',
    help: 'Writes that wait for the commit after the one that is under way',
    registers: [registry],
    collect() {
      this.set(vitals().waiting)
    },
  })
}

function figuresOfPool(registry: Registry, { vitals }: Storage): void {
  new Gauge({
    name: 'docket_postgres_connections',
    help: 'Connections to PostgreSQL, by whether they are idle or in use',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { open, idle } = vitals().connections ?? { open: 0, idle: 0 }
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'used' }, open - idle)
    },
  })
  new Gauge({
    name: 'docket_postgres_connections_awaited',
    help: 'Who waits for a connection to PostgreSQL to become free',
    registers: [registry],
    collect() {
      this.set(vitals().connections?.awaited ?? 0)
    },
  })
}
