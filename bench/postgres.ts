import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOBODY } from '#core/actor.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'
import { pgbench, scriptOf, sentDuring } from './pgbench.ts'
import { startDocket } from './processes.ts'
import { load, WARM_UP } from './ratio.ts'
import { seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
/** As many as Docket opens. */
const CONNECTIONS = 16

/** Docket on PostgreSQL beside pgbench with the very statements, on the same server. */
export async function compareWithPgbench(): Promise<void> {
  await onPostgres(compare)
}

async function compare(url: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-pg-'))
  const env = { DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir }
  const { storage } = await openStore(configFrom(env))
  const seeded = await seed(storage, 1_000)
  const actor = {
    ...NOBODY,
    role: 'owner' as const,
    user_id: seeded.people[0] ?? '',
    workspace_id: seeded.workspace,
  }
  const id = seeded.tasks[7] ?? ''
  const wish = (n: number) => ({
    project_id: seeded.project,
    title: `The export of invoice ${n} fails when the customer has moved`,
    priority: 'high' as const,
    due_date: '2027-03-01',
  })
  const got = await sentDuring(() => storage.read(actor, (tx) => loadTask(tx, id)))
  let made: { id: string; json: string } = { id: '', json: '' }
  const created = await sentDuring(async () => {
    made = await storage.write(actor, (tx) => createIn(tx, wish(0)))
  })
  await storage.close()
  const { position } = JSON.parse(made.json)
  const vary = (value: unknown, text: string) => {
    if (typeof value === 'number' && text.startsWith('insert into "events"'))
      return ':last_sequence'
    if (value === made.id) return "'tsk_' || :n"
    // Before all real ones: Docket goes on from the last.
    if (value === position) return "'A' || lpad(:n::text, 16, '0')"
    return undefined
  }

  const docket = await startDocket(dataDir, env)
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  let serial = 0
  const body = () => {
    serial += 1
    return JSON.stringify(wish(serial))
  }
  await beside(
    'GET a task',
    scriptOf(got, () => undefined),
    `/api/v1/tasks/${id}`,
  )
  await beside('POST a task', scriptOf(created, vary), '/api/v1/tasks', body)
  await docket.stop()

  async function beside(title: string, script: string, path: string, body?: () => string) {
    const ratios: number[] = []
    await load(docket, path, headers, body, WARM_UP)
    for (let round = 0; round < ROUNDS; round++) {
      const theirs = await pgbench(url, script, CONNECTIONS, SECONDS)
      if (theirs === undefined) {
        console.log('✗ pgbench is not installed: PostgreSQL was not measured.')
        return
      }
      const { rate } = await load(docket, path, headers, body, SECONDS)
      ratios.push(rate / theirs)
      if (round === 0) console.log(`    ${title}: ${rate.toFixed(0)}/s, pgbench ${theirs}/s`)
    }
    tell(`${title} on PostgreSQL / pgbench`, median(ratios), { least: 0.5 })
  }
}
