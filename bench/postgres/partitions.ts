import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { PARTITIONED_TABLES, partitionPostgres } from '#db/postgres/partition.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { median } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { privateMemoryOf, processCpuTime } from '../support/process-usage.ts'
import { createBenchDir, type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const ROUNDS = 7
/** Sequential requests per round: enough that one clock tick of CPU time does not matter. */
const REQUESTS = 400
const WORKSPACES = 8
const TASKS = 200

/** Which tables are partitioned, and into how many partitions. */
const LAYOUTS: [name: string, tables: readonly string[], parts: number][] = [
  ['whole', [], 0],
  ['as docket partition, 16', PARTITIONED_TABLES, 16],
  ['as docket partition, 64', PARTITIONED_TABLES, 64],
  ['tasks, too, 16', [...PARTITIONED_TABLES, 'tasks'], 16],
  ['tasks, too, 64', [...PARTITIONED_TABLES, 'tasks'], 64],
]

interface PartitionedDocket {
  name: string
  storage: Storage
  server: FastifyInstance
  seeded: SeededWorkspace[]
  /** The ids of the PostgreSQL backends that serve it. */
  backends(): Promise<string[]>
  close(): Promise<void>
}

type CreateRequest = (one: SeededWorkspace, n: number) => { url: string; payload?: object }

const REQUESTS_BY_NAME: Record<string, CreateRequest> = {
  'GET a task': ({ tasks }, n) => ({ url: `/api/v1/tasks/${tasks[n % tasks.length]}` }),
  'a list of 50': ({ project }) => ({ url: `/api/v1/projects/${project}/tasks?limit=50` }),
  'a page of 50 events': () => ({ url: '/api/v1/events?limit=50' }),
  'POST a task': ({ project: project_id }, n) => ({
    url: '/api/v1/tasks',
    payload: { project_id, title: `The export of invoice ${n} fails when the customer has moved` },
  }),
  'PATCH a task': ({ tasks }, n) => ({
    url: `/api/v1/tasks/${tasks[n % tasks.length]}`,
    payload: { title: `The export of invoice ${n} fails` },
  }),
}

/** Measures what partitioning costs PostgreSQL: CPU time per request and memory per connection. */
export async function measurePartitions(): Promise<void> {
  await withOwnPostgres(async (url) => {
    const shapes: PartitionedDocket[] = []
    for (const [name, tables, parts] of LAYOUTS) {
      shapes.push(await open(url, name, { tables, parts }))
    }
    for (const [what, ask] of Object.entries(REQUESTS_BY_NAME)) await compare(what, ask, shapes)
    for (const shape of shapes) {
      // Idle connections have been closed, so this opens one that has seen all statements.
      for (const [what, ask] of Object.entries(REQUESTS_BY_NAME)) await costOf(shape, what, ask)
      const memory = Math.max(...(await shape.backends()).map(privateMemoryOf)) / 1e6
      console.log(`    a connection, ${shape.name}: ${memory.toFixed(1)} MB`)
      await shape.close()
    }
  })
}

async function compare(
  what: string,
  ask: CreateRequest,
  shapes: readonly PartitionedDocket[],
): Promise<void> {
  const costs = new Map<string, number[]>(shapes.map(({ name }) => [name, []]))
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const shape of shapes) {
      const cost = await costOf(shape, what, ask)
      if (round >= 0) costs.get(shape.name)?.push(cost)
    }
  }
  for (const [name, each] of costs) {
    const [least, most] = [Math.min(...each), Math.max(...each)].map((one) => one.toFixed(0))
    console.log(`    ${what}, ${name}: ${median(each).toFixed(0)} µs (${least} to ${most})`)
  }
}

/** PostgreSQL's CPU time for one request, in microseconds. */
async function costOf(
  { server, seeded, backends }: PartitionedDocket,
  what: string,
  ask: CreateRequest,
) {
  const request = async (n: number) => {
    const one = seeded[n % seeded.length]
    if (!one) throw new Error('There is no workspace')
    const { url, payload } = ask(one, n)
    const [method] = /^(POST|PATCH)/.exec(what) ?? ['GET']
    const headers = { authorization: `Bearer ${one.key}` }
    const wanted = { method: method as 'GET', url, headers }
    const reply = await server.inject(payload ? { ...wanted, payload } : wanted)
    if (reply.statusCode >= 300) throw new Error(`${what}: ${reply.body}`)
  }
  // Opens a connection, because one that was idle for long has been closed.
  await request(0)
  const before = usedBy(await backends())
  for (let n = 0; n < REQUESTS; n += 1) await request(n)
  const after = usedBy(await backends())
  const used = [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
  return (used * 1e6) / REQUESTS
}

const usedBy = (pids: readonly string[]) => new Map(pids.map((pid) => [pid, processCpuTime(pid)]))

async function open(
  server: string,
  name: string,
  split: { tables: readonly string[]; parts: number },
): Promise<PartitionedDocket> {
  const url = server.replace(/\/postgres$/, `/parts_${name.replaceAll(/\W+/g, '_')}`)
  await runStatement(server, `create database ${new URL(url).pathname.slice(1)}`)
  const dataDir = createBenchDir()
  const config = parseConfig({
    DOCKET_DATABASE_URL: url,
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: 'a secret of this bench',
    DOCKET_LIMIT_PAID: '1000000000',
  })
  const { storage, secret } = await openStore(config)
  const seeded: SeededWorkspace[] = []
  for (let n = 0; n < WORKSPACES; n += 1) seeded.push(await seedWorkspace(storage, TASKS))
  await storage.close()
  await partitionPostgres({ url, ...split, onProgress: () => {} })
  await runStatement(url, 'vacuum analyze')
  const opened = (await openStore(config)).storage
  const docket = (await createApp(opened, config, secret, openLog('silent'))).server
  const client = new pg.Client(url)
  await client.connect()
  return {
    name,
    storage: opened,
    server: docket,
    seeded,
    async backends() {
      const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity
        where datname = current_database() and application_name = 'docket'`)
      return rows.map(({ pid }) => String(pid))
    },
    async close() {
      await client.end()
      await docket.close()
      await opened.close()
    },
  }
}

async function runStatement(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}
