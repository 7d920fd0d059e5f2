import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { median, reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { findPostmaster, postgresCpuTime, threadCpuTime } from '../support/postgres-usage.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'
import { seedByCheckout } from './seed-by-checkout.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 40)
/** Of one round. Rounds are short, so that both servers meet the same noise; equal, so that their tables grow alike. */
const REQUESTS = Number(process.env.REQUESTS ?? 300)
const WARM_UP_REQUESTS = Number(process.env.WARM_UP ?? 6_000)
const CONNECTIONS = 16
const TASKS = 1_000
const HERE = join(import.meta.dirname, '../..')
const ENGINES = (process.env.ENGINES ?? 'sqlite postgres').split(' ')

interface Contender {
  docket: DocketProcess
  seeded: SeededWorkspace
  /** Its CPU time so far in seconds, with that of its database server. */
  cpu: () => number
}

type Write = (seeded: SeededWorkspace, serial: number) => { path: string; body: object }

const WRITES: Record<'POST' | 'PATCH', Write> = {
  POST: ({ project }, serial) => ({
    path: '/api/v1/tasks',
    body: {
      project_id: project,
      title: `The export of invoice ${serial} fails when the customer has moved`,
      priority: 'high',
      due_date: '2027-03-01',
    },
  }),
  PATCH: ({ tasks }, serial) => ({
    path: `/api/v1/tasks/${tasks[serial % tasks.length]}`,
    body: { title: `The export of invoice ${serial} fails` },
  }),
}

/**
 * Compares the CPU time of a durable write with that of the checkout `before`, which has no feed. The
 * servers take turns, and the ratio is computed for each round.
 */
export async function compareWriteCost(before: string): Promise<void> {
  if (ENGINES.includes('sqlite')) await compare('SQLite', before, async () => ({}))
  if (!ENGINES.includes('postgres')) return
  await withOwnPostgres(async (url) => {
    const postmaster = await findPostmaster(url)
    const createDatabase = async (name: string) => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      const own = new URL(url)
      own.pathname = `/${name}`
      return { DOCKET_DATABASE_URL: own.href }
    }
    await compare('PostgreSQL', before, createDatabase, () => postgresCpuTime(postmaster))
  })
}

async function compare(
  engine: string,
  before: string,
  createDatabase: (name: string) => Promise<Record<string, string>>,
  databaseCpu = () => 0,
): Promise<void> {
  const dirs: string[] = []
  const start = async (root: string, name: string): Promise<Contender> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-changes-'))
    dirs.push(dataDir)
    const env = await createDatabase(name)
    const seeded = await seedByCheckout(dataDir, TASKS, { root, env })
    const docket = await startDocketProcess(dataDir, env, join(root, 'src/main.ts'))
    return { docket, seeded, cpu: () => threadCpuTime(docket.pid) + databaseCpu() }
  }
  const without = await start(before, 'before_feed')
  const withFeed = await start(HERE, 'with_feed')
  for (const method of ['POST', 'PATCH'] as const) {
    const ratios: number[] = []
    const costs: number[] = []
    for (let round = -1; round < ROUNDS; round += 1) {
      const amount = round < 0 ? WARM_UP_REQUESTS : REQUESTS
      // By turns, so that neither always comes first.
      const order = round % 2 === 0 ? [without, withFeed] : [withFeed, without]
      const cost = new Map<Contender, number>()
      for (const one of order) cost.set(one, await measureWriteCost(one, method, amount))
      if (round < 0) continue
      const ratio = (cost.get(withFeed) ?? Number.NaN) / (cost.get(without) ?? Number.NaN)
      if (Number.isNaN(ratio)) continue
      costs.push(cost.get(without) ?? Number.NaN)
      ratios.push(ratio)
    }
    const what = `${method} a task with the feed / without, ${engine}`
    reportFigure(what, ratios, { most: 1.05 })
    const sorted = ratios.toSorted((a, b) => a - b)
    const middle = [0.25, 0.75].map((share) => sorted[Math.floor(ratios.length * share)])
    console.log(
      `    ${median(costs).toFixed(1)} µs each without; half of the rounds between ${middle.map((one) => one?.toFixed(2)).join(' and ')}`,
    )
  }
  for (const { docket } of [without, withFeed]) await docket.stop()
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}

let serial = 0

/** The CPU time of one request, in microseconds; NaN if a server on a busy machine refused some. */
async function measureWriteCost(
  { docket, seeded, cpu }: Contender,
  method: 'POST' | 'PATCH',
  amount: number,
): Promise<number> {
  const write = WRITES[method]
  const begun = cpu()
  const { non2xx, errors, statusCodeStats } = await autocannon({
    ...{ url: docket.url, connections: CONNECTIONS, amount },
    headers: { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' },
    requests: [
      {
        method,
        setupRequest(request) {
          serial += 1
          const { path, body } = write(seeded, serial)
          return { ...request, path, body: JSON.stringify(body) }
        },
      },
    ],
  })
  const refused = statusCodeStats?.['503']?.count ?? 0
  if (non2xx + errors > refused) throw new Error(`${method}: ${non2xx + errors} requests failed`)
  if (refused > 0) return Number.NaN
  return ((cpu() - begun) * 1e6) / amount
}
