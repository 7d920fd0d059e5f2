import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import type { Storage } from '#core/tx.ts'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { PARTED } from '#storage/parted.ts'
import { partitionPostgres } from '#storage/partition.ts'
import { app } from '../src/app.ts'
import { configFrom } from '../src/config.ts'
import { median } from './figures.ts'
import { onPostgres } from './own-postgres.ts'
import { cpuOfProcess, memoryOf } from './postmaster.ts'
import { type Seeded, seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
/** So many requests a round, one after the other: enough that a tick of the clock is little. */
const REQUESTS = 400
const WORKSPACES = 8
const TASKS = 200

/** How the tables lie in a database. */
const SHAPES: [name: string, tables: readonly string[], parts: number][] = [
  ['whole', [], 0],
  ['as docket partition, 16', PARTED, 16],
  ['as docket partition, 64', PARTED, 64],
  ['tasks, too, 16', [...PARTED, 'tasks'], 16],
  ['tasks, too, 64', [...PARTED, 'tasks'], 64],
]

interface Shaped {
  name: string
  storage: Storage
  server: FastifyInstance
  seeded: Seeded[]
  /** The processes of PostgreSQL that serve it. */
  backends(): Promise<string[]>
  close(): Promise<void>
}

type Ask = (one: Seeded, n: number) => { url: string; payload?: object }

const ASKED: Record<string, Ask> = {
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

/** What tables in parts cost PostgreSQL: its processor time for a request, and memory of a connection. */
export async function measureParts(): Promise<void> {
  await onPostgres(async (url) => {
    const shapes: Shaped[] = []
    for (const [name, tables, parts] of SHAPES) {
      shapes.push(await open(url, name, { tables, parts }))
    }
    for (const [what, ask] of Object.entries(ASKED)) await compare(what, ask, shapes)
    for (const shape of shapes) {
      // What was idle for long has ended: here is one that has seen all of this.
      for (const [what, ask] of Object.entries(ASKED)) await costOf(shape, what, ask)
      const memory = Math.max(...(await shape.backends()).map(memoryOf)) / 1e6
      console.log(`    a connection, ${shape.name}: ${memory.toFixed(1)} MB`)
      await shape.close()
    }
  })
}

async function compare(what: string, ask: Ask, shapes: readonly Shaped[]): Promise<void> {
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

/** Microseconds of PostgreSQL's processor time for one request. */
async function costOf({ server, seeded, backends }: Shaped, what: string, ask: Ask) {
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
  // A connection that was idle for long has ended by now.
  await request(0)
  const before = usedBy(await backends())
  for (let n = 0; n < REQUESTS; n += 1) await request(n)
  const after = usedBy(await backends())
  const used = [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
  return (used * 1e6) / REQUESTS
}

const usedBy = (pids: readonly string[]) => new Map(pids.map((pid) => [pid, cpuOfProcess(pid)]))

async function open(
  server: string,
  name: string,
  split: { tables: readonly string[]; parts: number },
): Promise<Shaped> {
  const url = server.replace(/\/postgres$/, `/parts_${name.replaceAll(/\W+/g, '_')}`)
  await once(server, `create database ${new URL(url).pathname.slice(1)}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-parts-'))
  const config = configFrom({
    DOCKET_DATABASE_URL: url,
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: 'a secret of this bench',
    DOCKET_LIMIT_PAID: '1000000000',
  })
  const { storage, secret } = await openStore(config)
  const seeded: Seeded[] = []
  for (let n = 0; n < WORKSPACES; n += 1) seeded.push(await seed(storage, TASKS))
  await storage.close()
  await partitionPostgres({ url, ...split, told: () => {} })
  await once(url, 'vacuum analyze')
  const opened = (await openStore(config)).storage
  const docket = (await app(opened, config, secret, openLog('silent'))).server
  const client = new pg.Client(url)
  await client.connect()
  return {
    ...{ name, storage: opened, server: docket, seeded },
    async backends() {
      const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity
        where datname = current_database() and application_name = 'docket'`)
      return rows.map(({ pid }) => String(pid))
    },
    async close() {
      await client.end()
      await docket.close()
      await opened.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function once(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}
