import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createTestWorkspace, type TestWorkspace } from '#test/support/world/test-workspace.ts'
import {
  countLatencies,
  type LatencyHistogram,
  latencyQuantile,
  recordLatency,
} from '../load/latency-histogram.ts'
import { formatHttpRequest, runOpenLoop } from '../load/open-loop.ts'
import type { OpenLoopOptions, OpenLoopResult } from '../load/open-loop-client.ts'
import { median, reportFigure } from '../support/figures.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { createBenchDir, seedWorkspace } from '../support/seed.ts'

/** `--small` uses less data, to check in three minutes that it works; its figures mean nothing. */
const IS_SMALL = process.argv.includes('--small')
/** A round lasts a minute, the rate limit window, so that each has the same share of rejections. */
const FULL_SIZE = { workspaces: 1_000, tasks: 1_000, seconds: 60 }
const SMALL_SIZE = { workspaces: 100, tasks: 300, seconds: 8 }
const { workspaces: WORKSPACES, tasks: TASKS, seconds: SECONDS } = IS_SMALL ? SMALL_SIZE : FULL_SIZE
const ROUNDS = 3
/** Requests per second of all other workspaces together, well below what one machine can serve. */
const QUIET_RATE = 200
const RATE_LIMIT = 5_000
const NOISE_FACTOR = 10
const FAILED_MS = 60_000
const STATUSES = ['backlog', 'unstarted', 'started', 'completed', 'canceled']

/**
 * Measures whether one workspace at ten times its limit slows down a thousand others, on a database
 * of a million tasks: their p99 beside it relative to their p99 alone, in alternating rounds. The
 * control has no rate limit.
 */
export async function measureNoisyNeighbour(): Promise<void> {
  const dataDir = createBenchDir()
  const began = performance.now()
  const world = await fillDatabase(dataDir)
  const took = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(`    ${WORKSPACES} workspaces of ${TASKS} tasks, made in ${took} s`)
  const limited = await startDocketProcess(dataDir, { DOCKET_LIMIT_PAID: String(RATE_LIMIT) })
  const rate = (RATE_LIMIT * NOISE_FACTOR) / 60
  await reportRatio('p99 of others beside one at 10 × its limit', limited, rate, { most: 1.2 })
  await limited.stop()
  const unlimited = await startDocketProcess(dataDir)
  await reportRatio('Control: without a limit, p99 beside it', unlimited, 4 * rate, { least: 1.2 })
  await unlimited.stop()

  async function reportRatio(
    what: string,
    docket: DocketProcess,
    rate: number,
    goal: { most: number } | { least: number },
  ) {
    const port = Number(new URL(docket.url).port)
    const calm: OpenLoopOptions = {
      port,
      rate: QUIET_RATE,
      seconds: SECONDS,
      connections: 64,
      requests: world.calm,
    }
    const noise: OpenLoopOptions = {
      port,
      rate,
      seconds: SECONDS,
      connections: 32,
      requests: world.noisy,
    }
    await runOpenLoop({ ...calm, seconds: 5 })
    const [alone, beside]: [number[], number[]] = [[], []]
    let last: OpenLoopResult | undefined
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(ninetyNinth(await runOpenLoop(calm)))
      const [others, other] = await Promise.all([runOpenLoop(calm), runOpenLoop(noise)])
      beside.push(ninetyNinth(others))
      last = other
    }
    // If the machine is too busy to serve the others alone, the goal counts as missed.
    const ratios = beside.map((ms, at) => {
      const own = alone[at] ?? FAILED_MS
      return own >= FAILED_MS ? Number.NaN : ms / own
    })
    reportFigure(what, ratios, goal)
    const came = Object.entries(last?.latenciesSinceSent ?? {}).map(
      ([status, of]) => `${status}: ${countLatencies(of)}`,
    )
    console.log(
      `    ${median(alone).toFixed(1)} → ${median(beside).toFixed(1)} ms; the noisy one was told ${came.join(', ')}`,
    )
  }
}

/** The p99 of the other workspaces; a request that failed counts as the slowest. */
function ninetyNinth({ latenciesSinceDue, unansweredCount }: OpenLoopResult): number {
  const all: LatencyHistogram = {}
  for (const [status, counts] of Object.entries(latenciesSinceDue)) {
    if (!status.startsWith('2')) recordLatency(all, FAILED_MS, countLatencies(counts))
    else for (const [step, many] of Object.entries(counts)) all[step] = (all[step] ?? 0) + many
  }
  recordLatency(all, FAILED_MS, unansweredCount)
  return latencyQuantile(all, 0.99)
}

/** Creates the workspaces and the requests to them. */
async function fillDatabase(dataDir: string): Promise<{ calm: string[]; noisy: string[] }> {
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: dataDir }))
  const noisy = await seedWorkspace(storage, TASKS)
  const homes: TestWorkspace[] = []
  for (let n = 1; n < WORKSPACES; n++) homes.push(await createTestWorkspace(storage))
  await storage.close()
  copyTasks(join(dataDir, 'docket.db'), noisy.project, homes)
  const ask = (key: string, project: string, n: number) => {
    const path = `/api/v1/tasks/${noisy.tasks[n % noisy.tasks.length]}`
    if (n % 10 === 0) return formatHttpRequest(key, `/api/v1/projects/${project}/tasks?limit=50`)
    if (n % 10 === 1)
      return formatHttpRequest(key, '/api/v1/tasks', { project_id: project, title: 'New' })
    return formatHttpRequest(key, path)
  }
  return {
    calm: homes.map(({ keys, project }, n) => ask(keys.owner, project, n)),
    noisy: Array.from({ length: 100 }, (_, n) => ask(noisy.key, noisy.project, n)),
  }
}

/** Copies the tasks of a project to each workspace by SQL. Ids are unique per workspace only. */
function copyTasks(path: string, from: string, homes: readonly TestWorkspace[]): void {
  const db = new DatabaseSync(path)
  const columns = db
    .prepare('pragma table_info(tasks)')
    .all()
    .map(({ name }) => String(name))
  const kept = columns.filter((name) => !['search_id', 'workspace_id', 'project_id'].includes(name))
  const copy = db.prepare(
    `insert into tasks (workspace_id, project_id, ${kept.join(', ')})
     select ?, ?, ${kept.join(', ')} from tasks where project_id = ?`,
  )
  const counts = ['last_number', ...STATUSES.map((status) => `${status}_count`)]
  const recount = db.prepare(
    `update projects set (${counts.join(', ')}) =
       (select ${counts.join(', ')} from projects as template where template.id = ?) where id = ?`,
  )
  db.exec('begin')
  for (const { workspace, project } of homes) {
    copy.run(workspace, project, from)
    recount.run(from, project)
  }
  db.exec('commit; pragma wal_checkpoint(truncate); analyze')
  db.close()
}
