import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { migrateStore, openStore } from '#db/installation/open-store.ts'
import { migratePostgres } from '#db/migrate/migrate-postgres.ts'
import type { Migration } from '#db/migrate/migrations.ts'
import { minCodeVersionFor } from '#db/migrate/schema-version.ts'
import {
  atEnd,
  createEmptyDatabase,
  createMigratedDatabase,
  readNoteNames,
  writeNote,
} from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { recordIndexTimeouts } from '../support/migrations/index-timeouts.ts'
import {
  CURRENT_MIGRATION_COUNT,
  NEXT_MIGRATIONS,
  runAsRelease,
} from '../support/migrations/next-release-migrations.ts'
import { insertOldTasks } from '../support/migrations/old-tasks.ts'
import { createEmptyInstallation } from '../support/server/write-load.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** A migration that removes a column which releases need that lack the migration `contracts`. */
const contracting = (contracts: string): Migration => ({
  name: 'next-4-without',
  sql: 'drop index tasks_effort; alter table tasks drop column effort;',
  contracts,
})

for (const engine of ENGINES) {
  test(`an older Docket runs on a newer schema only if it is compatible: ${engine}`, async () => {
    const place = parseConfig(await createEmptyInstallation(engine))
    const { storage: running } = await openStore(place)
    const migrated = await runAsRelease(NEXT_MIGRATIONS, () => migrateStore(place))
    assert.deepEqual(migrated, {
      engine,
      from: CURRENT_MIGRATION_COUNT,
      to: CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length,
      applied: NEXT_MIGRATIONS.map(({ name }) => name),
      ...(engine === 'sqlite' && {
        copy: join(resolve(place.dataDir), `docket.db.v${CURRENT_MIGRATION_COUNT}`),
      }),
    })
    assert.equal(await running.isReady(), true)

    const logged: unknown[] = []
    const logEvent = (what: string, figures: object) => logged.push(what, figures)
    const again = await openStore({ ...place, onSchemaEvent: logEvent })
    const versions = {
      version: CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length,
      knows: CURRENT_MIGRATION_COUNT,
      oldest: minCodeVersionFor(CURRENT_MIGRATION_COUNT),
    }
    assert.deepEqual(logged, ['The database was migrated by a newer release', versions])
    await writeNote(again.storage, 'written by the older')
    assert.ok((await readNoteNames(again.storage)).includes('written by the older'))
    await again.storage.close()
    const { applied, to } = await migrateStore(place)
    assert.deepEqual(
      [applied, to],
      [[], CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length],
      'it leaves the version alone',
    )

    await runAsRelease([...NEXT_MIGRATIONS, contracting('next-2-efforts')], () =>
      migrateStore(place),
    )
    assert.equal(await running.isReady(), false)
    await assert.rejects(
      openStore(place),
      /schema version \d+ and this release has \d+: start the newer/,
    )
    await runAsRelease(NEXT_MIGRATIONS.slice(0, 1), () =>
      assert.rejects(openStore(place), /this release has/),
    )
    const { storage: newer } = await runAsRelease(NEXT_MIGRATIONS.slice(0, 2), () =>
      openStore(place),
    )
    await newer.close()
    await running.close()
  })
}

test('refuses a migration whose `contracts` names no migration', async () => {
  const { url } = await createEmptyDatabase()
  const wrong = runAsRelease([...NEXT_MIGRATIONS, contracting('next-2-effort')], () =>
    migratePostgres(url),
  )
  await assert.rejects(wrong, /next-2-effort, which is no migration/)
})

/** Creates a database of this release with tasks. */
async function oldDatabase() {
  const { url, admin } = await createEmptyDatabase()
  const place = parseConfig({
    ...(await createEmptyInstallation('sqlite')),
    DOCKET_DATABASE_URL: url,
  })
  const { storage } = await openStore(place)
  await insertOldTasks(admin, await createTestWorkspace(storage), 100)
  await storage.close()
  return { url, admin }
}

const readVersion = async (admin: pg.Client) => {
  const { rows } = await admin.query('select max(version) as version from schema_version')
  return rows[0]?.version
}

const isIndexValid = async (admin: pg.Client): Promise<boolean | undefined> => {
  const of =
    "select indisvalid as valid from pg_index where indexrelid = to_regclass('tasks_effort')"
  const { rows } = await admin.query(of)
  return rows[0]?.valid
}

test('rebuilds an index whose build was interrupted', async () => {
  const { url, admin } = await oldDatabase()
  // An open snapshot keeps the concurrent index build from completing.
  const reader = new pg.Client(url)
  await reader.connect()
  atEnd(() => reader.end())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from users')
  const first = runAsRelease(NEXT_MIGRATIONS, async () => {
    const migrating = migratePostgres(url)
    migrating.catch(() => {})
    while ((await isIndexValid(admin)) !== false) await pause(10)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'docket-migration' and datname = current_database()`,
    )
    return migrating
  })
  await assert.rejects(first)
  await reader.query('commit')
  assert.equal(await readVersion(admin), CURRENT_MIGRATION_COUNT + 2)
  assert.equal(await isIndexValid(admin), false)
  const { applied } = await runAsRelease(NEXT_MIGRATIONS, () => migratePostgres(url))
  assert.deepEqual(applied, ['next-3-effort-index'])
  assert.equal(await isIndexValid(admin), true)
})

test('concurrent migrations apply each migration once', async () => {
  const { url, admin } = await oldDatabase()
  const readTimeouts = await recordIndexTimeouts(admin)
  const runs = await runAsRelease(NEXT_MIGRATIONS, () =>
    Promise.all([1, 2, 3].map(() => migratePostgres(url))),
  )
  assert.deepEqual(
    runs.flatMap(({ applied }) => applied).toSorted(),
    NEXT_MIGRATIONS.map(({ name }) => name),
  )
  assert.ok(runs.every(({ to }) => to === CURRENT_MIGRATION_COUNT + NEXT_MIGRATIONS.length))
  assert.equal(await isIndexValid(admin), true)
  assert.deepEqual(await readTimeouts(), [2 ** 31 - 1], 'the timeouts of the role do not count')
})

test('a migration without its locks releases them, retries, and gives up', async () => {
  const { url, admin } = await oldDatabase()
  await admin.query('begin; lock table tasks in access share mode')
  const logged: object[] = []
  const logEvent = (_: string, figures: object) => logged.push(figures)
  const migrating = runAsRelease(NEXT_MIGRATIONS, () =>
    migratePostgres(url, { onEvent: logEvent, tries: 2 }),
  )
  await assert.rejects(migrating, /could not get its locks in 2 attempts \(.*lock timeout/)
  await admin.query('commit')
  assert.equal(logged.length, 1)
  assert.equal(await readVersion(admin), CURRENT_MIGRATION_COUNT)
  await runAsRelease(NEXT_MIGRATIONS, () => migratePostgres(url))
})

test('builds an index on every partition of a table', async () => {
  const { url, admin } = await oldDatabase()
  const parted: Migration[] = [
    {
      name: 'parted',
      sql: `create table parted (workspace_id text not null) partition by hash (workspace_id);
        create table parted_0 partition of parted for values with (modulus 2, remainder 0);
        create table parted_1 partition of parted for values with (modulus 2, remainder 1);
        insert into parted select 'w' || n from generate_series(1, 100) n;`,
    },
    {
      name: 'parted-index',
      index: { name: 'parted_ids', table: 'parted', columns: '(workspace_id)' },
    },
  ]
  await runAsRelease(parted, () => migratePostgres(url))
  const { rows } = await admin.query(
    `select inhrelid::regclass::text as name, indisvalid as valid from pg_inherits
      join pg_index on indexrelid = inhrelid where inhparent = 'parted_ids'::regclass order by 1`,
  )
  assert.deepEqual(
    rows,
    [0, 1].map((part) => ({ name: `parted_ids_parted_${part}`, valid: true })),
  )
})

const FILL = {
  name: 'next-fill',
  fill: `update filled set value = 'new' where value = 'old' and id in (
    select id from filled where value = 'old' order by id limit {batch})`,
}

test('a backfill goes on after a batch in which a request has changed a row', async (t) => {
  const { url, admin } = await createMigratedDatabase()
  await admin.query(`create table filled (id integer primary key, value text not null);
    insert into filled select n, 'old' from generate_series(1, 2500) as n`)
  const request = new pg.Client(url)
  await request.connect()
  t.after(() => request.end())
  await request.query("begin; update filled set value = 'of a request' where id = 7")
  const migrating = runAsRelease([FILL], () => migratePostgres(url))
  await waitUntil('the batch that waits for the request', async () => {
    const { rowCount } = await admin.query(`select from pg_stat_activity
      where application_name = 'docket-migration' and datname = current_database()
        and wait_event_type = 'Lock'`)
    return rowCount === 1
  })
  await request.query('commit')
  const { applied } = await migrating
  assert.deepEqual(applied, ['next-fill'])
  const { rows } = await admin.query(
    'select value, count(*)::int as count from filled group by value order by value',
  )
  assert.deepEqual(rows, [
    { value: 'new', count: 2_499 },
    { value: 'of a request', count: 1 },
  ])
})
