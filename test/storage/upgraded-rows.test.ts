import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { migrateStore } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { createEmptyDatabase } from '../support/engines/test-database.ts'
import { NEXT_MIGRATIONS, runAsRelease } from '../support/migrations/next-release-migrations.ts'
import {
  fillTables,
  type OldDatabase,
  openOldPostgres,
  openOldSqlite,
  readTableColumns,
  readTableRows,
} from '../support/migrations/old-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

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

for (const version of VERSIONS) {
  const pendingNames = [...MIGRATIONS.slice(version), ...NEXT_MIGRATIONS].map(({ name }) => name)
  test(`migrating a database from version ${version} keeps all rows: SQLite`, async () => {
    const dataDir = createTempDir()
    const db = openOldSqlite(join(dataDir, DATABASE_FILENAME), version)
    const { shape, before } = await fillDatabase(db)
    const { applied } = await runAsRelease(NEXT_MIGRATIONS, () =>
      migrateStore({ dataDir, databaseUrl: undefined }),
    )
    assert.deepEqual(applied, pendingNames)
    assert.deepEqual(await readContent(db, shape), before)
    assert.deepEqual(await db.run('pragma foreign_key_check'), [])
    await db.close()
  })

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
    assert.deepEqual(applied, pendingNames)
    assert.deepEqual(await readContent(db, shape), before)
    const events = await db.run("select count(*)::int as n from events where workspace_id = 'busy'")
    assert.deepEqual(events, [{ n: written }])
    await db.close()
  })
}

test('control: a migration that changes an existing row is detected', async () => {
  const dataDir = createTempDir()
  const db = openOldSqlite(join(dataDir, DATABASE_FILENAME), MIGRATIONS.length)
  const { shape, before } = await fillDatabase(db)
  const careless = { name: 'careless', sql: "update tags set color = '' where id like '%.1'" }
  await runAsRelease([careless], () => migrateStore({ dataDir, databaseUrl: undefined }))
  assert.notDeepEqual(await readContent(db, shape), before)
  await db.close()
})

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
