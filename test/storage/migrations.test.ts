import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { migrateStore, openStore } from '#db/installation/open-store.ts'
import { migratePostgres } from '#db/migrate/migrate-postgres.ts'
import { MIGRATIONS, type Migration } from '#db/migrate/migrations.ts'
import { minCodeVersionFor } from '#db/migrate/schema-version.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import {
  atEnd,
  createEmptyDatabase,
  createMigratedDatabase,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { recordIndexTimeouts } from '../support/migrations/index-timeouts.ts'
import { findMigrationErrors } from '../support/migrations/migration-rules.ts'
import {
  CURRENT_MIGRATION_COUNT,
  NEXT_MIGRATIONS,
  runAsRelease,
} from '../support/migrations/next-release-migrations.ts'
import {
  fillTables,
  type OldDatabase,
  openOldPostgres,
  openOldSqlite,
  readTableColumns,
  readTableRows,
} from '../support/migrations/old-database.ts'
import { insertOldTasks } from '../support/migrations/old-tasks.ts'
import { createEmptyInstallation } from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const ROWS = 3
/** The schema versions of all releases, that of 1.0.0 first. */
const VERSIONS = MIGRATIONS.map((_, at) => at + 1)
/** Rows of concurrent writers, and rows that migrations keep about themselves. */
const IGNORED_ROWS = /"(schema \d+|busy)/

/** Reads the rows of a database, except those. */
async function readContent(db: OldDatabase, shape: Awaited<ReturnType<typeof readTableColumns>>) {
  const allRows = await readTableRows(db, shape)
  const kept = Object.entries(allRows).map(([table, rows]) => [
    table,
    rows.filter((row) => !IGNORED_ROWS.test(row)),
  ])
  return Object.fromEntries(kept) as typeof allRows
}

async function fillDatabase(db: OldDatabase) {
  await fillTables(db, ROWS)
  const shape = await readTableColumns(db)
  const before = await readContent(db, shape)
  for (const [table, rows] of Object.entries(before)) assert.ok(rows.length >= ROWS, table)
  return { shape, before }
}

const namesSince = (version: number) =>
  [...MIGRATIONS.slice(version), ...NEXT_MIGRATIONS].map(({ name }) => name)

test('migrating a SQLite database of any version keeps all rows', async () => {
  for (const version of VERSIONS) {
    const dataDir = createTempDir()
    const db = openOldSqlite(join(dataDir, DATABASE_FILENAME), version)
    const { shape, before } = await fillDatabase(db)
    const { applied } = await runAsRelease(NEXT_MIGRATIONS, () =>
      migrateStore({ dataDir, databaseUrl: undefined }),
    )
    assert.deepEqual(applied, namesSince(version))
    assert.deepEqual(await readContent(db, shape), before, `version ${version}`)
    assert.deepEqual(await db.run('pragma foreign_key_check'), [])
    await db.close()
  }
})

// Those between differ from these only in their tables, which SQLite tries.
for (const version of [1, MIGRATIONS.length]) {
  test(`migrating under load keeps all rows: PostgreSQL, version ${version}`, async () => {
    const { url } = await createEmptyDatabase()
    const db = await openOldPostgres(url, version)
    const { shape, before } = await fillDatabase(db)
    const writing = await startWriters(url)
    const place = { dataDir: '', databaseUrl: url }
    const runs = await runAsRelease(NEXT_MIGRATIONS, () =>
      Promise.all([migrateStore(place), migrateStore(place)]),
    )
    const written = await writing.stop()
    const applied = runs.flatMap((run) => run.applied).toSorted()
    assert.deepEqual(applied, namesSince(version))
    assert.deepEqual(await readContent(db, shape), before)
    const events = await db.run("select count(*)::int as n from events where workspace_id = 'busy'")
    assert.deepEqual(events, [{ n: written }])
    await db.close()
  })
}

/** Starts two writers that write like a release that is serving, with the time-outs of a server. */
async function startWriters(url: string) {
  let stopped = false
  let written = 0
  const lane = async () => {
    const client = new pg.Client({ connectionString: url, statement_timeout: 5_000 })
    await client.connect()
    try {
      while (!stopped) {
        await client.query('begin')
        await client.query("select id from workspaces where id = 'busy' for update")
        await client.query(
          "update workspaces set last_sequence = last_sequence + 1 where id = 'busy'",
        )
        await client.query(
          `insert into events (workspace_id, sequence, id, type, subject_id, payload, created_at)
            select 'busy', last_sequence, 'busy' || last_sequence, '', '', '', '' from workspaces
            where id = 'busy'`,
        )
        await client.query('commit')
        written += 1
        await pause(2)
      }
    } finally {
      await client.end()
    }
  }
  const first = new pg.Client(url)
  await first.connect()
  await first.query(
    `insert into workspaces (id, name, plan, timezone, last_sequence, created_at, updated_at)
      values ('busy', '', '', '', 0, '', '')`,
  )
  await first.end()
  const lanes = Promise.all([lane(), lane()])
  // `stop` reports failures.
  lanes.catch(() => {})
  return {
    async stop(): Promise<number> {
      stopped = true
      await lanes
      return written
    },
  }
}

function readState(path: string) {
  const db = new DatabaseSync(path)
  const readValue = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  const state = {
    version: readValue('pragma user_version'),
    tables: readValue("select count(*) from sqlite_master where name in ('more', 'moved')"),
    notes: readValue("select count(*) from installation where name = 'note'"),
    sound: readValue('pragma integrity_check'),
  }
  db.close()
  return state
}

async function oldSqliteFile(): Promise<string> {
  const path = join(createTempDir(), 'docket.db')
  const storage = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await writeNote(storage, 'note')
  await storage.close()
  return path
}

test('a failed migration of SQLite leaves the database unchanged and no partial copy', async () => {
  const path = await oldSqliteFile()
  const oldState = { version: MIGRATIONS.length, tables: 0, notes: 1, sound: 'ok' }
  const statements = [
    'create table more (name text)',
    'insert into more select name from installation',
    'delete from installation',
    'alter table more rename to moved',
  ]
  const migrate = (sql: string) =>
    runAsRelease([{ name: 'more', sql }], () => openSqlite({ path, ...TEST_STORE_OPTIONS }).close())
  for (let done = 1; done <= statements.length; done++) {
    const failing = statements.toSpliced(done, 0, 'select no_such_function()').join(';')
    await assert.rejects(async () => migrate(failing), /no_such_function/)
    assert.deepEqual(readState(path), oldState, `after ${done} statements`)
  }
  const copy = `docket.db.v${MIGRATIONS.length}`
  assert.deepEqual(readdirSync(dirname(path)).toSorted(), ['docket.db', copy])
  await migrate(statements.join(';'))
  const { version } = oldState
  assert.deepEqual(readState(path), { version: version + 1, tables: 1, notes: 0, sound: 'ok' })
  assert.deepEqual(readState(`${path}.v${version}`), oldState, 'what there was is kept')
})

/** A command that begins to write when `turn` is 1, says so with 2, and goes on for a moment. */
const WRITING_COMMAND = `
  const { DatabaseSync } = require('node:sqlite')
  const { path, turn } = require('node:worker_threads').workerData
  Atomics.wait(turn, 0, 0)
  const db = new DatabaseSync(path)
  db.exec('begin immediate')
  Atomics.store(turn, 0, 2)
  Atomics.notify(turn, 0)
  Atomics.wait(turn, 0, 2, 100)
  db.exec('commit')
  db.close()`

test('a start that restores planner statistics after a migration waits for a command that is writing', async () => {
  const path = await oldSqliteFile()
  const old = new DatabaseSync(path)
  const turn = new Int32Array(new SharedArrayBuffer(4))
  const command = new Worker(WRITING_COMMAND, { eval: true, workerData: { path, turn } })
  await once(command, 'online')
  const onMigration = {
    onBegin() {},
    onEnd() {
      old.exec('delete from sqlite_stat1')
      old.close()
      Atomics.store(turn, 0, 1)
      Atomics.notify(turn, 0)
      Atomics.wait(turn, 0, 1)
    },
  }
  await runAsRelease([{ name: 'next', sql: 'create table more (name text)' }], () =>
    openSqlite({ path, ...TEST_STORE_OPTIONS, onMigration }).close(),
  )
  await once(command, 'exit')
})

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
async function oldPostgresDatabase() {
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
  const { url, admin } = await oldPostgresDatabase()
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
  const { url, admin } = await oldPostgresDatabase()
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
  const { url, admin } = await oldPostgresDatabase()
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

test('no migration blocks writers or removes what the previous release needs', () => {
  const checked = [...MIGRATIONS, ...NEXT_MIGRATIONS]
  assert.deepEqual(
    checked.flatMap((migration) => findMigrationErrors(migration)),
    [],
  )
  minCodeVersionFor(MIGRATIONS.length)
})

const MISTAKES = [
  'create index tasks_x on tasks (x)',
  'create unique index tasks_x on tasks (x)',
  "update tasks set priority = 'none'",
  'delete from tasks',
  'insert into others select id from tasks',
  'alter table tasks alter column number type bigint',
  'alter table tasks alter number set data type bigint',
  'alter table tasks alter column due_at set not null',
  'alter table tasks add constraint few check (number < 9)',
  'alter table tasks add foreign key (workspace_id) references workspaces',
  'alter table tasks add constraint one unique (x)',
  'alter table tasks add column x text not null',
  'alter table tasks add column x text default now()',
  'alter table tasks add column x bigint generated always as (number) stored',
  'truncate tasks',
  'lock table tasks',
  'drop table tags',
  'alter table tasks drop column metadata',
  'ALTER TABLE tasks\n  DROP COLUMN metadata',
  'alter table tasks rename column title to name',
]

test('detects each mistake of a migration', () => {
  for (const sql of MISTAKES)
    assert.equal(findMigrationErrors({ name: 'new', sql: `${sql};` }).length, 1, sql)
  const fill = { name: 'new', fill: "update tasks set priority = 'none'" }
  assert.equal(findMigrationErrors(fill).length, 1)
})

test('no statement selects all columns of a table: a newer release may have added one', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  assert.ok(files.length > 200)
  const ALL_COLUMNS = /(selectFrom|innerJoin|leftJoin)\('\w+'\)\s*\.selectAll\(|\.returningAll\(/
  assert.deepEqual(
    files.filter((file) => ALL_COLUMNS.test(readFileSync(file, 'utf8'))),
    [],
  )
  assert.match("db.selectFrom('replays')\n  .selectAll()", ALL_COLUMNS)
})
