import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import {
  CURRENT_MIGRATION_COUNT,
  NEXT_MIGRATIONS,
} from '../../support/migrations/next-release-migrations.ts'
import { insertOldTasks } from '../../support/migrations/old-tasks.ts'
import { findEntry } from '../../support/server/server-process.ts'
import { createEmptyInstallation } from '../../support/server/write-load.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'

const TASKS = 50
const PROGRAM = findEntry('test/support/server/programs/killed-migration.ts')

/** Migrates in a process that is killed at its n-th statement. Returns the signal that ended it. */
async function migrateAndKill(url: string, dieAt: number): Promise<string | null> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, DOCKET_DATABASE_URL: url, DIE_AT: `${dieAt}` },
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

/** Waits until PostgreSQL has finished the statements of the killed process. */
async function untilIdle(admin: pg.Client): Promise<void> {
  const others = `select 1 from pg_stat_activity
    where application_name = 'docket-migration' and datname = current_database()`
  while ((await admin.query(others)).rows.length > 0) await pause(5)
}

async function readSchemaState(admin: pg.Client) {
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

/** Asserts that each applied migration is complete; the next one may have begun. */
function assertWhole(state: Awaited<ReturnType<typeof readSchemaState>>, where: string): void {
  const done = state.version - CURRENT_MIGRATION_COUNT
  const versions = Array.from({ length: state.version }, (_, at) => at + 1)
  assert.deepEqual(state.versions, versions, where)
  assert.equal(state.columns, done >= 1 ? 3 : 0, where)
  // Each batch of a backfill is a transaction, and a later one finds that there are no more rows.
  const isBatchDone = done === 1 && state.filled === TASKS
  if (!isBatchDone) assert.equal(state.filled, done >= 2 ? TASKS : 0, where)
  if (done >= 3) assert.equal(state.indexed, true, where)
}

/** Creates a database of this release with tasks. */
async function oldDatabase(t: TestContext): Promise<{ url: string; admin: pg.Client }> {
  const place = parseConfig(await createEmptyInstallation('postgres'))
  const url = place.databaseUrl ?? ''
  const { storage } = await openStore(place)
  const team = await createTestWorkspace(storage)
  await storage.close()
  const admin = new pg.Client(url)
  await admin.connect()
  t.after(() => admin.end())
  await insertOldTasks(admin, team, TASKS)
  return { url, admin }
}

test('a migration killed at any statement is applied completely or not at all, and continues', async (t) => {
  const { url, admin } = await oldDatabase(t)
  let kills = 0
  // Each version is repeated until every one of its statements has been the last one.
  for (
    let dieAt = 1, version = CURRENT_MIGRATION_COUNT;
    version < CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length;
    dieAt += 1
  ) {
    if ((await migrateAndKill(url, dieAt)) === null) break
    kills += 1
    await untilIdle(admin)
    const state = await readSchemaState(admin)
    assertWhole(state, `killed at change ${dieAt} from version ${version}`)
    if (state.version > version) dieAt = 0
    version = state.version
  }
  assert.equal(await migrateAndKill(url, 1_000), null)
  const state = await readSchemaState(admin)
  assert.equal(state.version, CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length)
  assertWhole(state, 'in the end')
  assert.ok(kills >= 15, `${kills} kills`)
  t.diagnostic(`${kills} kills`)
})
