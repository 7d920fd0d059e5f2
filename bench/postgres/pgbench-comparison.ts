import { parseConfig } from '#config/config.ts'
import { createUserActor } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import { openStore } from '#db/installation/open-store.ts'
import { loadProject } from '#resources/projects/load.ts'
import { loadTaskRecord } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { listInProject } from '#resources/tasks/operations/list.ts'
import { measureLoadCost, WARM_UP_SECONDS } from '../api/bare-server-comparison.ts'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { startDocketProcess } from '../support/processes.ts'
import { createBenchDir, seedWorkspace } from '../support/seed.ts'
import {
  captureStatements,
  createPgbenchScript,
  type PgbenchScript,
  runPgbench,
} from './pgbench.ts'

const ROUNDS = 5
const SECONDS = 2
/** The number that Docket opens. */
const CONNECTIONS = 16

/** Compares Docket on PostgreSQL with pgbench running the same statements on the same server. */
export async function compareWithPgbench(): Promise<void> {
  await withOwnPostgres(compare)
}

async function compare(url: string): Promise<void> {
  const dataDir = createBenchDir()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir }
  const { storage } = await openStore(parseConfig(env))
  const seeded = await seedWorkspace(storage, 1_000)
  const actor = {
    ...createUserActor(seeded.people[0] ?? '', seeded.workspace),
    role: 'owner' as const,
  }
  const id = seeded.tasks[7] ?? ''
  const wish = (n: number) => ({
    project_id: seeded.project,
    title: `The export of invoice ${n} fails when the customer has moved`,
    priority: 'high' as const,
    due_date: '2027-03-01',
  })
  const got = await captureStatements(() =>
    storage.read(actor, async (tx) => loadTaskRecord(tx, id)),
  )
  const page = parsePageRequest('secret', 'list', { limit: 50 }, 'position')
  const listed = await captureStatements(() =>
    storage.read(actor, async (tx) => {
      const project = await loadProject(tx, seeded.project)
      await listInProject(tx, project, { params: project, query: {}, body: undefined, page })
    }),
  )
  let made: { id: string; json: string } = { id: '', json: '' }
  const created = await captureStatements(async () => {
    made = await storage.write(actor, (tx) => createTaskFromInput(tx, wish(0)))
  })
  await storage.close()
  const { position } = JSON.parse(made.json)
  const vary = (value: unknown, text: string) => {
    if (typeof value === 'number' && text.startsWith('insert into "events"'))
      return ':last_sequence'
    if (value === made.id) return "'tsk_' || :n"
    // Before all real positions, because Docket continues after the last one.
    if (value === position) return "'A' || lpad(:n::text, 16, '0')"
    return undefined
  }

  const docket = await startDocketProcess(dataDir, env)
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  let serial = 0
  const body = () => {
    serial += 1
    return JSON.stringify(wish(serial))
  }
  await compareWithScript(
    'GET a task',
    createPgbenchScript(got, () => undefined),
    `/api/v1/tasks/${id}`,
  )
  await compareWithScript(
    'GET a list of 50 tasks',
    createPgbenchScript(listed, () => undefined),
    `/api/v1/projects/${seeded.project}/tasks?limit=50`,
  )
  await compareWithScript('POST a task', createPgbenchScript(created, vary), '/api/v1/tasks', body)
  await docket.stop()

  async function compareWithScript(
    title: string,
    script: PgbenchScript,
    path: string,
    body?: () => string,
  ) {
    const ratios: number[] = []
    const request = { method: body ? 'POST' : 'GET', path, body } as const
    await measureLoadCost(docket, request, headers, WARM_UP_SECONDS)
    for (let round = 0; round < ROUNDS; round++) {
      const theirs = await runPgbench(url, script, CONNECTIONS, SECONDS)
      if (theirs === undefined) {
        console.log('✗ pgbench is not installed: PostgreSQL was not measured.')
        return
      }
      const { rate } = await measureLoadCost(docket, request, headers, SECONDS)
      ratios.push(rate / theirs)
      if (round === 0) console.log(`    ${title}: ${rate.toFixed(0)}/s, pgbench ${theirs}/s`)
    }
    reportFigure(`${title} on PostgreSQL / pgbench`, ratios, { least: 0.5 })
  }
}
