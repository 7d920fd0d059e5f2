import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { newHome } from '../support/home.ts'
import { insertOldTasks } from '../support/old-tasks.ts'
import { BEFORE, NEXT } from '../support/releases.ts'
import { emptyPlace } from '../support/saved.ts'

const TASKS = 50
const preloaded = ['next-release', 'dying-migration'].map(
  (name) => `--import=${join(import.meta.dirname, `../support/${name}.ts`)}`,
)

/** Migrates in a process that is killed with its n-th change; gives the signal by which it ended. */
async function migrated(
  url: string,
  dieAt: number,
  env: Record<string, string> = {},
): Promise<string | null> {
  const script = `import { migrateStore } from '#storage/open.ts'
    await migrateStore({ dataDir: '', databaseUrl: ${JSON.stringify(url)} })`
  const child = spawn(process.execPath, [...preloaded, '--input-type=module', '--eval', script], {
    env: { ...process.env, ...env, DIE_AT: `${dieAt}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [code, signal] = await once(child, 'close')
  assert.ok(signal === 'SIGKILL' || code === 0, err)
  return signal
}

/** What PostgreSQL was asked before, it may do to its end. */
async function alone(admin: pg.Client): Promise<void> {
  const others = `select 1 from pg_stat_activity
    where application_name = 'docket-migration' and datname = current_database()`
  while ((await admin.query(others)).rows.length > 0) await pause(5)
}

async function look(admin: pg.Client) {
  const { rows } = await admin.query(
    `select (select max(version) from schema_version) as version,
      (select array_agg(version order by version) from schema_version) as versions,
      (select count(*)::int from information_schema.columns where column_name in ('effort', 'motto')
        and table_schema = current_schema()) as columns,
      (select count(*)::int from tasks where to_jsonb(tasks) ->> 'effort' = '7') as filled,
      exists (select 1 from pg_index where indexrelid = to_regclass('tasks_effort') and indisvalid)
        as indexed`,
  )
  return rows[0]
}

/** What is there at each version, of the release before and of the next one; what comes after may be begun. */
function assertWhole(found: Awaited<ReturnType<typeof look>>, where: string): void {
  const done = found.version - BEFORE
  const versions = Array.from({ length: found.version }, (_, at) => at + 1)
  assert.deepEqual(found.versions, versions, where)
  assert.equal(found.columns, done >= 1 ? 3 : 0, where)
  assert.equal(found.filled, done >= 2 ? TASKS : 0, where)
  if (done >= 3) assert.equal(found.indexed, true, where)
}

/** A database of this release with tasks in it. */
async function oldDatabase(t: TestContext): Promise<{ url: string; admin: pg.Client }> {
  const place = configFrom(await emptyPlace('postgres'))
  const url = place.databaseUrl ?? ''
  const { storage } = await openStore(place)
  const home = await newHome(storage)
  await storage.close()
  const admin = new pg.Client(url)
  await admin.connect()
  t.after(() => admin.end())
  await insertOldTasks(admin, home, TASKS)
  return { url, admin }
}

test('a migration that is killed at any statement is whole or not there, and the next run goes on', async (t) => {
  const { url, admin } = await oldDatabase(t)
  let kills = 0
  // Each version is begun anew until all of its statements have been the last.
  for (let dieAt = 1, version = BEFORE; version < BEFORE + NEXT.length; dieAt += 1) {
    if ((await migrated(url, dieAt)) === null) break
    kills += 1
    await alone(admin)
    const found = await look(admin)
    assertWhole(found, `killed at change ${dieAt} from version ${version}`)
    if (found.version > version) dieAt = 0
    version = found.version
  }
  assert.equal(await migrated(url, 1_000), null)
  const found = await look(admin)
  assert.equal(found.version, BEFORE + NEXT.length)
  assertWhole(found, 'in the end')
  assert.ok(kills >= 15, `${kills} kills`)
  t.diagnostic(`${kills} kills`)
})

test('without a transaction a kill leaves half of a migration, which is found out', async (t) => {
  const { url, admin } = await oldDatabase(t)
  const half = async () => {
    for (let dieAt = 1; dieAt <= 5; dieAt += 1) {
      await migrated(url, dieAt, { NO_TRANSACTION: '1' })
      await alone(admin)
      assertWhole(await look(admin), `killed at change ${dieAt}`)
    }
  }
  await assert.rejects(half, /killed at change/)
})
