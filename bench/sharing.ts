import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import type { Generated, Generating } from './generating.ts'
import { onPostgres } from './own-postgres.ts'
import { requestText } from './paced.ts'
import { cpuOf, postmasterOf } from './postmaster.ts'
import { startDocket } from './processes.ts'
import { type Seeded, seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 3)
const WARM_UP = 6
const CONNECTIONS = 48
const WORKSPACES = 12
const TASKS = 200
/** Of ten requests, so many are lists and creations; the others get a task. */
const [LISTS, CREATIONS] = [1, 2]

interface Measured {
  rate: number
  /** Microseconds of processor time for each request. */
  docket: number
  postgres: number
  generator: number
}

/** What a second process of Docket gives on one PostgreSQL: the same mixed load on one and on two. */
export async function compareProcesses(): Promise<void> {
  await onPostgres(compare)
}

async function compare(url: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-many-'))
  const env = { DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir }
  const { storage } = await openStore(configFrom(env))
  const seeded: Seeded[] = []
  for (let n = 0; n < WORKSPACES; n += 1) seeded.push(await seed(storage, TASKS))
  await storage.close()
  const requests = seeded.flatMap(mixed)
  const one = await startDocket(dataDir, env)
  const two = await startDocket(dataDir, { ...env, DOCKET_PROCESSES: '2' })
  const postgres = await postmasterOf(url)

  const all: [Measured[], Measured[]] = [[], []]
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [at, docket] of [one, two].entries()) {
      const [cpu, database] = [await docket.cpu(), cpuOf(postgres)]
      const seconds = round < 0 ? WARM_UP : SECONDS
      const port = Number(new URL(docket.url).port)
      const done = await generate({ port, connections: CONNECTIONS, seconds, requests })
      if (done.refused > 0) throw new Error(`${done.refused} requests were refused`)
      const each = (used: number) => (used * 1e6) / done.count
      if (round < 0) continue
      all[at]?.push({
        rate: done.count / seconds,
        docket: each((await docket.cpu()) - cpu),
        postgres: each(cpuOf(postgres) - database),
        generator: each(done.cpu),
      })
    }
  }
  await Promise.all([one.stop(), two.stop()])

  const [alone, both] = [middleOf(all[0]), middleOf(all[1])]
  const ratios = all[1].map(({ rate }, at) => rate / (all[0][at]?.rate ?? Number.NaN))
  tell('2 processes / 1 on PostgreSQL, all on these cores', median(ratios), { least: 1.6 })
  // Where the database and the clients have cores of their own, a process may use one up.
  tell('  with a core for each, by processor time', (2 * alone.docket) / both.docket, {
    least: 1.6,
  })
  say('one', alone)
  say('two', both)
  const cores = availableParallelism()
  console.log(`    ${cores} cores, load average ${loadavg()[0]?.toFixed(1)}`)

  function say(which: string, { rate, docket, postgres, generator }: Measured): void {
    const busy = ((docket + postgres + generator) * rate) / 1e6
    console.log(
      `    ${which}: ${rate.toFixed(0)}/s; µs each: Docket ${docket.toFixed(0)},` +
        ` PostgreSQL ${postgres.toFixed(0)}, generator ${generator.toFixed(0)}: ${busy.toFixed(2)} cores busy`,
    )
  }
}

function middleOf(all: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(all.map((one) => one[name]))
  return {
    rate: of('rate'),
    docket: of('docket'),
    postgres: of('postgres'),
    generator: of('generator'),
  }
}

/** Ten requests of a workspace as they travel. */
function mixed({ key, project, tasks }: Seeded): string[] {
  return Array.from({ length: 10 }, (_, n) => {
    if (n < LISTS) return requestText(key, `/api/v1/projects/${project}/tasks?limit=50`)
    if (n >= LISTS + CREATIONS) return requestText(key, `/api/v1/tasks/${tasks[n % tasks.length]}`)
    const title = 'The export of an invoice fails when the customer has moved'
    return requestText(key, '/api/v1/tasks', { project_id: project, title })
  })
}

/** Offers as much as is answered, from a process of its own. */
export async function generate(wanted: Generating): Promise<Generated> {
  const child = fork(new URL('generating.ts', import.meta.url))
  child.send(wanted)
  const [done] = (await once(child, 'message')) as [Generated]
  return done
}
