import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { DATABASE } from '#storage/data-dir.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { migrateStore } from '#storage/open.ts'
import { emptyDir } from '../support/dir.ts'
import {
  fillTables,
  type OldDatabase,
  oldPostgres,
  oldSqlite,
  rowsOf,
  shapeOf,
} from '../support/old-schema.ts'
import { asRelease } from '../support/releases.ts'
import { emptyDatabase } from '../support/store.ts'

const ROWS = 3
const RELEASED = MIGRATIONS.map((_, at) => at + 1).slice(0, -1)
/** What writes meanwhile, and what migrations leave for each other. */
const ASIDE = /"(schema \d+|busy)/

/** What a database holds, but for that. */
async function content(db: OldDatabase, shape: Awaited<ReturnType<typeof shapeOf>>) {
  const found = await rowsOf(db, shape)
  const kept = Object.entries(found).map(([table, rows]) => [
    table,
    rows.filter((row) => !ASIDE.test(row)),
  ])
  return Object.fromEntries(kept) as typeof found
}

async function assertFilled(db: OldDatabase) {
  await fillTables(db, ROWS)
  const shape = await shapeOf(db)
  const before = await content(db, shape)
  for (const [table, rows] of Object.entries(before)) assert.ok(rows.length >= ROWS, table)
  return { shape, before }
}

for (const version of RELEASED) {
  test(`a database at version ${version} keeps all it has: SQLite`, async () => {
    const dataDir = emptyDir()
    const db = oldSqlite(join(dataDir, DATABASE), version)
    const { shape, before } = await assertFilled(db)
    const migrated = await migrateStore({ dataDir, databaseUrl: undefined })
    assert.deepEqual([migrated.from, migrated.to], [version, MIGRATIONS.length])
    assert.deepEqual(await content(db, shape), before)
    assert.deepEqual(await db.run('pragma foreign_key_check'), [])
    await db.close()
  })

  test(`the same beside writers and another that migrates: PostgreSQL, version ${version}`, async () => {
    const { url } = await emptyDatabase()
    const db = await oldPostgres(url, version)
    const { shape, before } = await assertFilled(db)
    const writing = await writers(url)
    const place = { dataDir: '', databaseUrl: url }
    const runs = await Promise.all([migrateStore(place), migrateStore(place)])
    const written = await writing.stop()
    const applied = runs.flatMap((run) => run.applied).toSorted()
    assert.deepEqual(
      applied,
      MIGRATIONS.slice(version).map(({ name }) => name),
    )
    assert.deepEqual(await content(db, shape), before)
    const events = await db.run("select count(*)::int as n from events where workspace_id = 'busy'")
    assert.deepEqual(events, [{ n: written }])
    await db.close()
  })
}

test('a migration that changes a row that was there is found out', async () => {
  const dataDir = emptyDir()
  const db = oldSqlite(join(dataDir, DATABASE), MIGRATIONS.length)
  const { shape, before } = await assertFilled(db)
  const careless = { name: 'careless', sql: "update tags set color = '' where id like '%.1'" }
  await asRelease([careless], () => migrateStore({ dataDir, databaseUrl: undefined }))
  assert.notDeepEqual(await content(db, shape), before)
  await db.close()
})

/** Two that write as each release did, with the time-outs of a server; fails as soon as one of them fails. */
async function writers(url: string) {
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
  // Told by `stop`.
  lanes.catch(() => {})
  return {
    async stop(): Promise<number> {
      stopped = true
      await lanes
      return written
    },
  }
}
