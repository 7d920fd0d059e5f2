import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '#storage/open.ts'
import { type Home, newHome } from '#test/support/home.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import { type Counts, count, quantile, total } from './latencies.ts'
import { paced, requestText } from './paced.ts'
import type { Paced, Pacing } from './pacing.ts'
import { type Docket, startDocket } from './processes.ts'
import { seed } from './seed.ts'

/** `--small`: less of everything, to see in three minutes that all of it works; its figures show nothing. */
const IS_SMALL = process.argv.includes('--small')
/** A round is a minute, so that each has as much of the noise admitted and refused as any other. */
const WHOLE = { workspaces: 1_000, tasks: 1_000, rounds: 3, seconds: 60 }
const SMALL = { workspaces: 100, tasks: 300, rounds: 3, seconds: 8 }
const USUAL = IS_SMALL ? SMALL : WHOLE
const WORKSPACES = Number(process.env.WORKSPACES ?? USUAL.workspaces)
const TASKS = Number(process.env.TASKS ?? USUAL.tasks)
const ROUNDS = Number(process.env.ROUNDS ?? USUAL.rounds)
const SECONDS = Number(process.env.SECONDS ?? USUAL.seconds)
/** What all the others ask together, a second: some of what one machine can do. */
const CALM = 200
const PER_MINUTE = 5_000
const NOISE = 10
const NEVER_MS = 60_000
const STATUSES = ['backlog', 'unstarted', 'started', 'completed', 'canceled']

/**
 * Whether one workspace at ten times its limit is felt by a thousand others, on one database of a million
 * tasks: p99 of theirs beside it, to p99 without it, in turns. The control has no limit to hold it.
 */
export async function measureNeighbours(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const began = performance.now()
  const world = await filled(dataDir)
  const took = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(`    ${WORKSPACES} workspaces of ${TASKS} tasks, made in ${took} s`)
  const limited = await startDocket(dataDir, { DOCKET_LIMIT_PAID: String(PER_MINUTE) })
  const rate = (PER_MINUTE * NOISE) / 60
  await tellRatio('p99 of others beside one at 10 × its limit', limited, rate, { most: 1.2 })
  await limited.stop()
  const unlimited = await startDocket(dataDir)
  await tellRatio('Control: without a limit, p99 beside it', unlimited, 4 * rate, { least: 1.2 })
  await unlimited.stop()
  rmSync(dataDir, { recursive: true, force: true })

  async function tellRatio(
    what: string,
    docket: Docket,
    rate: number,
    goal: { most: number } | { least: number },
  ) {
    const port = Number(new URL(docket.url).port)
    const calm: Pacing = {
      port,
      rate: CALM,
      seconds: SECONDS,
      connections: 64,
      requests: world.calm,
    }
    const noise: Pacing = { port, rate, seconds: SECONDS, connections: 32, requests: world.noisy }
    await paced({ ...calm, seconds: 5 })
    const [alone, beside]: [number[], number[]] = [[], []]
    let last: Paced | undefined
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(ninetyNinth(await paced(calm)))
      const [told, other] = await Promise.all([paced(calm), paced(noise)])
      beside.push(ninetyNinth(told))
      last = other
    }
    // On a machine too busy to serve the others alone nothing is shown, and no goal met.
    const ratios = beside.map((ms, at) => {
      const own = alone[at] ?? NEVER_MS
      return own >= NEVER_MS ? Number.NaN : ms / own
    })
    tell(what, median(ratios), goal)
    const came = Object.entries(last?.replies ?? {}).map(
      ([status, of]) => `${status}: ${total(of)}`,
    )
    console.log(
      `    ${median(alone).toFixed(1)} → ${median(beside).toFixed(1)} ms; the noisy one was told ${came.join(', ')}`,
    )
  }
}

/** What 99 of 100 requests of the others did not exceed; one that was not served counts as the slowest. */
function ninetyNinth({ times, lost }: Paced): number {
  const all: Counts = {}
  for (const [status, counts] of Object.entries(times)) {
    if (!status.startsWith('2')) count(all, NEVER_MS, total(counts))
    else for (const [step, many] of Object.entries(counts)) all[step] = (all[step] ?? 0) + many
  }
  count(all, NEVER_MS, lost)
  return quantile(all, 0.99)
}

/** Workspaces of so many tasks each, and what is asked of them. */
async function filled(dataDir: string): Promise<{ calm: string[]; noisy: string[] }> {
  const { storage } = await openStore(configFrom({ DOCKET_DATA_DIR: dataDir }))
  const noisy = await seed(storage, TASKS)
  const homes: Home[] = []
  for (let n = 1; n < WORKSPACES; n++) homes.push(await newHome(storage))
  await storage.close()
  copyTasks(join(dataDir, 'docket.db'), noisy.project, homes)
  const ask = (key: string, project: string, n: number) => {
    const path = `/api/v1/tasks/${noisy.tasks[n % noisy.tasks.length]}`
    if (n % 10 === 0) return requestText(key, `/api/v1/projects/${project}/tasks?limit=50`)
    if (n % 10 === 1)
      return requestText(key, '/api/v1/tasks', { project_id: project, title: 'New' })
    return requestText(key, path)
  }
  return {
    calm: homes.map(({ keys, project }, n) => ask(keys.owner, project, n)),
    noisy: Array.from({ length: 100 }, (_, n) => ask(noisy.key, noisy.project, n)),
  }
}

/** Gives each of the homes the tasks of a project, by SQL: under the same ids, which a workspace has for itself. */
function copyTasks(path: string, from: string, homes: readonly Home[]): void {
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
