import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrateStore } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { renderMigrationSql } from '#db/migrate/schema-version.ts'
import { docketTables } from '#db/postgres/create-tables.ts'
import { dumpPostgres, LIST_TABLES_SQL } from '#db/postgres/dump.ts'
import { hasDocketTables, loadPostgres } from '#db/postgres/load.ts'
import { createEmptyDatabase } from '#test/support/engines/test-database.ts'

/** An earlier schema version. */
const OLD_VERSION = 7
const TEXT = `quotes ' " \\ $1, a\ttab,\na line,\u2028 another, \u{1f680}, {"json":null}`

/** Tables of other programs in the same schema, of which no backup may depend. */
const OTHER_TABLES_SQL = `create table others (n integer primary key); insert into others values (1);
  create table "Others2" (n integer references others); insert into "Others2" values (1);
  create table schedule (at timestamptz); insert into schedule values (now())`

/**
 * Dumps a database of an older version: three batches of rows, and a row that needs the last one.
 */
async function dumpOldDatabase() {
  const { url, admin } = await createEmptyDatabase()
  await admin.query('create table schema_version (version integer not null)')
  for (const [at, migration] of MIGRATIONS.slice(0, OLD_VERSION).entries()) {
    await admin.query(renderMigrationSql(migration, 'postgres'))
    await admin.query('insert into schema_version values ($1)', [at + 1])
  }
  await admin.query(
    `insert into workspaces (id, name, plan, timezone, last_sequence, created_at, updated_at)
      select 'w' || n, $1, 'free', 'UTC', 9007199254740991, '', '' from generate_series(1, 1201) n`,
    [TEXT],
  )
  await admin.query(
    `insert into events (workspace_id, sequence, id, type, subject_id, payload, created_at)
      values ('w1201', 1, 'e', 't', 's', $1, '')`,
    [TEXT],
  )
  await admin.query(OTHER_TABLES_SQL)
  const tables = new Map<string, string[][]>()
  const copied = await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), ...(lines.length > 0 ? [[...lines]] : [])])
  })
  return { copied, tables }
}

test('a dump of an older version can be loaded into an empty database and migrated', async () => {
  const { copied, tables } = await dumpOldDatabase()
  assert.equal(copied.schema, OLD_VERSION)
  assert.deepEqual([copied.counts.workspaces, copied.counts.events], [1201, 1])
  assert.deepEqual([...tables.keys()], Object.keys(copied.counts))
  assert.deepEqual(Object.keys(copied.counts), docketTables(OLD_VERSION))
  assert.deepEqual(
    tables.get('workspaces')?.map(({ length }) => length),
    [500, 500, 201],
  )
  const { url, admin } = await createEmptyDatabase()
  await admin.query(OTHER_TABLES_SQL)
  const load = { url, schema: copied.schema, counts: copied.counts, onTable: () => {} }
  const values = { sending: 'nowhere 0' }
  async function* readLines(table: string) {
    yield* tables.get(table) ?? []
  }
  async function* withoutLast(table: string) {
    const batches = tables.get(table) ?? []
    yield* table === 'workspaces' ? batches.slice(0, -1) : batches
  }
  const cut = { ...load, values, readLines: withoutLast }
  await assert.rejects(loadPostgres(cut), /workspaces has 1000 rows, and not 1201/)
  const counts = { ...load.counts, workspaces: 1000 }
  await assert.rejects(loadPostgres({ ...cut, counts }), /violates foreign key/)
  const { projects: _, ...fewer } = load.counts
  await assert.rejects(
    loadPostgres({ ...load, counts: fewer, values, readLines }),
    /lacks: projects/,
  )
  assert.equal(await hasDocketTables(url), false, 'all of it or nothing')

  await loadPostgres({ ...load, values, readLines })
  const { applied } = await migrateStore({ dataDir: '', databaseUrl: url })
  assert.deepEqual(
    applied,
    MIGRATIONS.slice(OLD_VERSION).map(({ name }) => name),
  )
  const { rows } = await admin.query(
    'select count(*)::int as n, min(name) as least, max(name) as most, max(last_sequence) as last from workspaces',
  )
  assert.deepEqual(rows, [{ n: 1201, least: TEXT, most: TEXT, last: Number.MAX_SAFE_INTEGER }])
  const others = await admin.query('select at, "Others2".n from schedule, "Others2"')
  assert.equal(others.rowCount, 1, 'other tables stay as they are')
  const { rows: names } = await admin.query(LIST_TABLES_SQL)
  assert.deepEqual(
    names.map(({ name }) => name).filter((name) => !/^(others|Others2|schedule)$/.test(name)),
    docketTables(MIGRATIONS.length),
  )
  const sending = await admin.query("select value from installation where name = 'sending'")
  assert.deepEqual(sending.rows, [{ value: 'nowhere 0' }])
  await assert.rejects(loadPostgres({ ...load, values, readLines }), /already exists/)
})
