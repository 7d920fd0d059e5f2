import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlOf } from '#storage/migrate.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { migrateStore } from '#storage/open.ts'
import { dumpPostgres } from '#storage/postgres-dump.ts'
import { isPostgresTaken, loadPostgres } from '#storage/postgres-load.ts'
import { emptyDatabase } from '#test/support/store.ts'

/** An earlier version than this one. */
const OLD = 7
const TEXT = `quotes ' " \\ $1, a\ttab,\na line,\u2028 another, \u{1f680}, {"json":null}`

/** What an older Docket has saved: rows for three batches, and one that needs the last of them. */
async function saved() {
  const { url, admin } = await emptyDatabase()
  await admin.query('create table schema_version (version integer not null)')
  for (const [at, migration] of MIGRATIONS.slice(0, OLD).entries()) {
    await admin.query(sqlOf(migration, 'postgres'))
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
  // What others keep in the same database is no part of what is restored.
  await admin.query('create table others (n integer); insert into others values (1)')
  const tables = new Map<string, string[][]>()
  const copied = await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), ...(lines.length > 0 ? [[...lines]] : [])])
  })
  return { copied, tables }
}

test('a dump of an older version fills an empty database, which is then migrated', async () => {
  const { copied, tables } = await saved()
  assert.equal(copied.schema, OLD)
  assert.deepEqual([copied.counts.workspaces, copied.counts.events], [1201, 1])
  assert.deepEqual(
    tables.get('workspaces')?.map(({ length }) => length),
    [500, 500, 201],
  )
  const { url, admin } = await emptyDatabase()
  const load = { url, schema: copied.schema, counts: copied.counts, told: () => {} }
  const values = { sending: 'nowhere 0' }
  async function* linesOf(table: string) {
    yield* tables.get(table) ?? []
  }
  async function* withoutLast(table: string) {
    const batches = tables.get(table) ?? []
    yield* table === 'workspaces' ? batches.slice(0, -1) : batches
  }
  const cut = { ...load, values, linesOf: withoutLast }
  await assert.rejects(loadPostgres(cut), /workspaces has 1000 rows, and not 1201/)
  const counts = { ...load.counts, workspaces: 1000 }
  await assert.rejects(loadPostgres({ ...cut, counts }), /violates foreign key/)
  const { projects: _, ...fewer } = load.counts
  await assert.rejects(loadPostgres({ ...load, counts: fewer, values, linesOf }), /lacks: projects/)
  assert.equal(await isPostgresTaken(url), false, 'all of it or nothing')

  await loadPostgres({ ...load, values, linesOf })
  const { applied } = await migrateStore({ dataDir: '', databaseUrl: url })
  assert.deepEqual(
    applied,
    MIGRATIONS.slice(OLD).map(({ name }) => name),
  )
  const { rows } = await admin.query(
    'select count(*)::int as n, min(name) as least, max(name) as most, max(last_sequence) as last from workspaces',
  )
  assert.deepEqual(rows, [{ n: 1201, least: TEXT, most: TEXT, last: Number.MAX_SAFE_INTEGER }])
  const sending = await admin.query("select value from installation where name = 'sending'")
  assert.deepEqual(sending.rows, [{ value: 'nowhere 0' }])
  await assert.rejects(loadPostgres({ ...load, values, linesOf }), /already exists/)
})
