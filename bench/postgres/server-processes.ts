import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import type { ClosedLoopOptions, ClosedLoopResult } from '../load/closed-loop-client.ts'
import { formatHttpRequest } from '../load/open-loop.ts'
import { median, reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { findPostmaster, postgresCpuTime } from '../support/process-usage.ts'
import { startDocketProcess } from '../support/processes.ts'
import { createBenchDir, type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const ROUNDS = 5
const SECONDS = 3
const WARM_UP = 6
const CONNECTIONS = 48
const WORKSPACES = 12
const TASKS = 200
/** The number of lists and of creations in ten requests; the others read a task. */
const [LISTS, CREATIONS] = [1, 2]

interface ProcessCosts {
  rate: number
  /** CPU time per request, in microseconds. */
  docket: number
  postgres: number
  generator: number
}

/** Compares one and two Docket processes on the same PostgreSQL under the same mixed load. */
export async function compareProcessCounts(): Promise<void> {
  await withOwnPostgres(compare)
}

async function compare(url: string): Promise<void> {
  const dataDir = createBenchDir()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir }
  const { storage } = await openStore(parseConfig(env))
  const seeded: SeededWorkspace[] = []
  for (let n = 0; n < WORKSPACES; n += 1) seeded.push(await seedWorkspace(storage, TASKS))
  await storage.close()
  const requests = seeded.flatMap(mixRequests)
  const one = await startDocketProcess(dataDir, env)
  const two = await startDocketProcess(dataDir, { ...env, DOCKET_PROCESSES: '2' })
  const postgres = await findPostmaster(url)

  const all: [ProcessCosts[], ProcessCosts[]] = [[], []]
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [at, docket] of [one, two].entries()) {
      const [cpu, database] = [await docket.cpu(), postgresCpuTime(postgres)]
      const seconds = round < 0 ? WARM_UP : SECONDS
      const port = Number(new URL(docket.url).port)
      const done = await runClosedLoop({ port, connections: CONNECTIONS, seconds, requests })
      if (done.refused > 0) throw new Error(`${done.refused} requests were refused`)
      const each = (used: number) => (used * 1e6) / done.count
      if (round < 0) continue
      all[at]?.push({
        rate: done.count / seconds,
        docket: each((await docket.cpu()) - cpu),
        postgres: each(postgresCpuTime(postgres) - database),
        generator: each(done.cpu),
      })
    }
  }
  await Promise.all([one.stop(), two.stop()])

  const [alone, both] = [mediansOf(all[0]), mediansOf(all[1])]
  const ratios = all[1].map(({ rate }, at) => rate / (all[0][at]?.rate ?? Number.NaN))
  reportFigure('2 processes / 1 on PostgreSQL, all on these cores', ratios, { least: 1.6 })
  // With separate cores for the database and the clients, each process could use a whole core.
  reportFigure('  with a core for each, by processor time', (2 * alone.docket) / both.docket, {
    least: 1.6,
  })
  printCosts('one', alone)
  printCosts('two', both)
  const cores = availableParallelism()
  console.log(`    ${cores} cores, load average ${loadavg()[0]?.toFixed(1)}`)

  function printCosts(which: string, { rate, docket, postgres, generator }: ProcessCosts): void {
    const busy = ((docket + postgres + generator) * rate) / 1e6
    console.log(
      `    ${which}: ${rate.toFixed(0)}/s; µs each: Docket ${docket.toFixed(0)},` +
        ` PostgreSQL ${postgres.toFixed(0)}, generator ${generator.toFixed(0)}: ${busy.toFixed(2)} cores busy`,
    )
  }
}

function mediansOf(all: readonly ProcessCosts[]): ProcessCosts {
  const of = (name: keyof ProcessCosts) => median(all.map((one) => one[name]))
  return {
    rate: of('rate'),
    docket: of('docket'),
    postgres: of('postgres'),
    generator: of('generator'),
  }
}

/** Ten requests to a workspace as HTTP text. */
function mixRequests({ key, project, tasks }: SeededWorkspace): string[] {
  return Array.from({ length: 10 }, (_, n) => {
    if (n < LISTS) return formatHttpRequest(key, `/api/v1/projects/${project}/tasks?limit=50`)
    if (n >= LISTS + CREATIONS)
      return formatHttpRequest(key, `/api/v1/tasks/${tasks[n % tasks.length]}`)
    const title = 'The export of an invoice fails when the customer has moved'
    return formatHttpRequest(key, '/api/v1/tasks', { project_id: project, title })
  })
}

/** Sends as many requests as are answered, from a separate process. */
export async function runClosedLoop(wanted: ClosedLoopOptions): Promise<ClosedLoopResult> {
  const child = fork(new URL('../load/closed-loop-client.ts', import.meta.url))
  child.send(wanted)
  const [done] = (await once(child, 'message')) as [ClosedLoopResult]
  return done
}
