import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import type { Generated, Generating } from './generating.ts'
import { cpuOfProcess } from './postmaster.ts'
import { type Docket, startDocket } from './processes.ts'
import { type Seeded, seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 3)
const PROCESSES = Number(process.env.PROCESSES ?? 2)
const WARM_UP = 3
const CONNECTIONS = 48
const WORKSPACES = 12
const TASKS = 200

type Mix = (seeded: Seeded) => string[]

interface Measured {
  rate: number
  /** Microseconds of processor time for each request. */
  docket: number
  /** The same of the process that has most to do: no more than its core can be asked of all. */
  busiest: number
  generator: number
}

/** What more processes give on SQLite, where one of them writes: for reads, writes, and both. */
export async function compareCores(): Promise<void> {
  const dirs = [newDir(), newDir()] as const
  const [one, two] = await Promise.all([filled(dirs[0], 1), filled(dirs[1], PROCESSES)])
  for (const [name, mix] of Object.entries(MIXES)) await compare(name, mix, one, two)
  const memory = async ({ docket }: Filled) => ((await docket.memory()) / 1e6).toFixed(0)
  console.log(`    memory: one ${await memory(one)} MB, all ${await memory(two)} MB`)
  console.log(`    ${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)}`)
  await Promise.all([one.docket.stop(), two.docket.stop()])
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}

interface Filled {
  docket: Docket
  seeded: Seeded[]
}

async function filled(dataDir: string, processes: number): Promise<Filled> {
  const { storage } = await openStore(configFrom({ DOCKET_DATA_DIR: dataDir }))
  const seeded: Seeded[] = []
  for (let n = 0; n < WORKSPACES; n += 1) seeded.push(await seed(storage, TASKS))
  await storage.close()
  const docket = await startDocket(dataDir, { DOCKET_PROCESSES: String(processes) })
  return { docket, seeded }
}

const newDir = () => mkdtempSync(join(tmpdir(), 'docket-bench-cores-'))

async function compare(name: string, mix: Mix, one: Filled, two: Filled): Promise<void> {
  const all: [Measured[], Measured[]] = [[], []]
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [at, which] of [one, two].entries()) {
      const measured = await measure(which, mix, round < 0 ? WARM_UP : SECONDS)
      if (round >= 0) all[at]?.push(measured)
    }
  }
  const [alone, both] = [middleOf(all[0]), middleOf(all[1])]
  const ratios = all[1].map(({ rate }, at) => rate / (all[0][at]?.rate ?? Number.NaN))
  tell(`${name}: ${PROCESSES} processes / 1, on these cores`, median(ratios), { least: 1 })
  // Where the clients have cores of their own, each process may use one up, until the first has none left.
  tell('  with a core for each, by processor time', alone.busiest / both.busiest, { least: 1 })
  for (const [which, { rate, docket, busiest, generator }] of [
    ['one', alone] as const,
    ['all', both] as const,
  ]) {
    console.log(
      `    ${which}: ${rate.toFixed(0)}/s; µs each: Docket ${docket.toFixed(0)}, its busiest ${busiest.toFixed(0)}, generator ${generator.toFixed(0)}`,
    )
  }
}

async function measure({ docket, seeded }: Filled, mix: Mix, seconds: number): Promise<Measured> {
  const [cpu, each] = [await docket.cpu(), cpuOfEach(docket.pid)]
  const port = Number(new URL(docket.url).port)
  const requests = seeded.flatMap(mix)
  const done = await generate({ port, connections: CONNECTIONS, seconds, requests })
  if (done.refused > 0) throw new Error(`${done.refused} requests were refused`)
  const perRequest = (used: number) => (used * 1e6) / done.count
  const now = cpuOfEach(docket.pid)
  const used = [...now].map(([pid, seconds]) => seconds - (each.get(pid) ?? 0))
  return {
    rate: done.count / seconds,
    docket: perRequest((await docket.cpu()) - cpu),
    busiest: perRequest(Math.max(...used)),
    generator: perRequest(done.cpu),
  }
}

function middleOf(all: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(all.map((one) => one[name]))
  return {
    ...{ rate: of('rate'), docket: of('docket') },
    ...{ busiest: of('busiest'), generator: of('generator') },
  }
}

/** Seconds of processor time of a process and of those that it keeps running, by id; Linux tells them. */
function cpuOfEach(pid: number): Map<string, number> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = [String(pid), ...children.trim().split(' ').filter(Boolean)]
  return new Map(pids.map((one) => [one, cpuOfProcess(one)]))
}

/** Requests of a workspace as they travel, ten at a time. */
const MIXES: Record<string, Mix> = {
  'GET a task': (seeded) => ten((n) => task(seeded, n)),
  'GET a list of 50': (seeded) => ten(() => list(seeded)),
  'POST a task': (seeded) => ten(() => creation(seeded)),
  '7 GET, 1 list, 2 POST': (seeded) =>
    ten((n) => (n === 0 ? list(seeded) : n < 3 ? creation(seeded) : task(seeded, n))),
}

const ten = (make: (n: number) => string) => Array.from({ length: 10 }, (_, n) => make(n))

const task = ({ key, tasks }: Seeded, n: number) =>
  raw(key, 'GET', `/api/v1/tasks/${tasks[n % tasks.length]}`)
const list = ({ key, project }: Seeded) =>
  raw(key, 'GET', `/api/v1/projects/${project}/tasks?limit=50`)
const creation = ({ key, project }: Seeded) => {
  const title = 'The export of an invoice fails when the customer has moved'
  return raw(key, 'POST', '/api/v1/tasks', JSON.stringify({ project_id: project, title }))
}

function raw(key: string, method: string, path: string, body?: string): string {
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`]
  if (body) head.push('content-type: application/json', `content-length: ${body.length}`)
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}

async function generate(wanted: Generating): Promise<Generated> {
  const child = fork(new URL('generating.ts', import.meta.url))
  child.send(wanted)
  const [done] = (await once(child, 'message')) as [Generated]
  return done
}
