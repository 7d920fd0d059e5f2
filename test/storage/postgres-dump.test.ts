import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChecksumList } from '#backup/backup-files.ts'
import { copyRows, readTableLines } from '#backup/create-backup.ts'
import { migrateStore } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { dumpPostgres, LIST_TABLES_SQL } from '#db/postgres/dump.ts'
import { hasDocketTables, loadPostgres } from '#db/postgres/load.ts'
import { docketTables } from '#db/postgres/tables.ts'
import { createEmptyDatabase, createMigratedDatabase } from '#test/support/engines/test-database.ts'
import { NEXT_MIGRATIONS, runAsRelease } from '#test/support/migrations/next-release-migrations.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'

const TEXT = `quotes ' " \\ $1, a\ttab,\na line,\u2028 another, \u{1f680}, {"json":null}`

/** Tables of other programs in the same schema, of which no backup may depend. */
const OTHER_TABLES_SQL = `create table others (n integer primary key); insert into others values (1);
  create table "Others2" (n integer references others); insert into "Others2" values (1);
  create table schedule (at timestamptz); insert into schedule values (now())`

const ROW_LENGTH = 2_000
/** No batch may be much longer, except one with a single row. */
const MAX_BATCH_LENGTH = 1_100_000

/** Creates a database with some batches of rows, and one row that needs the last of them. */
async function createFilledDatabase() {
  const { url, admin } = await createMigratedDatabase()
  await admin.query(
    `insert into workspaces (id, name, plan, timezone, last_sequence, created_at, updated_at)
      select 'w' || n, $1, 'free', repeat('x', $2), 9007199254740991, '', ''
      from generate_series(1, 1201) n`,
    [TEXT, ROW_LENGTH],
  )
  await admin.query(
    `insert into events (workspace_id, sequence, id, type, subject_id, payload, created_at)
      values ('w1201', 1, 'e', 't', 's', $1, '')`,
    [TEXT],
  )
  await admin.query(OTHER_TABLES_SQL)
  return { url, admin }
}

async function dumpFilledDatabase() {
  const { url } = await createFilledDatabase()
  const tables = new Map<string, string[][]>()
  const copied = await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), ...(lines.length > 0 ? [[...lines]] : [])])
  })
  return { copied, tables }
}

test('a dump can be loaded into an empty database, which a later release migrates', async () => {
  const { copied, tables } = await dumpFilledDatabase()
  assert.equal(copied.schema, MIGRATIONS.length)
  assert.deepEqual([copied.counts.workspaces, copied.counts.events], [1201, 1])
  assert.deepEqual([...tables.keys()], Object.keys(copied.counts))
  assert.deepEqual(Object.keys(copied.counts), docketTables(MIGRATIONS.length))
  const batches = tables.get('workspaces') ?? []
  assert.ok(batches.length > 1)
  for (const batch of batches) assert.ok(batch.join().length < MAX_BATCH_LENGTH)
  const { url, admin } = await createEmptyDatabase()
  await admin.query(OTHER_TABLES_SQL)
  const load = { url, schema: copied.schema, counts: copied.counts, onTable: () => {} }
  const values = { sending: 'nowhere 0' }
  async function* readLines(table: string) {
    yield* tables.get(table) ?? []
  }
  async function* withoutLast(table: string) {
    yield* table === 'workspaces' ? batches.slice(0, -1) : (tables.get(table) ?? [])
  }
  const cut = { ...load, values, readLines: withoutLast }
  const rest = 1201 - Number(batches.at(-1)?.length)
  await assert.rejects(loadPostgres(cut), RegExp(`workspaces has ${rest} rows, and not 1201`))
  const counts = { ...load.counts, workspaces: rest }
  await assert.rejects(loadPostgres({ ...cut, counts }), /violates foreign key/)
  const { projects: _, ...fewer } = load.counts
  await assert.rejects(
    loadPostgres({ ...load, counts: fewer, values, readLines }),
    /lacks: projects/,
  )
  assert.equal(await hasDocketTables(url), false, 'all of it or nothing')

  await loadPostgres({ ...load, values, readLines })
  const { applied } = await runAsRelease(NEXT_MIGRATIONS, () =>
    migrateStore({ dataDir: '', databaseUrl: url }),
  )
  assert.deepEqual(
    applied,
    NEXT_MIGRATIONS.map(({ name }) => name),
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
  await assert.rejects(loadPostgres({ ...load, values, readLines }), { code: 'store_not_empty' })
})

test('rows of several megabytes are written to a backup and restored one by one', async () => {
  const { url, admin } = await createFilledDatabase()
  await admin.query(
    `insert into events (workspace_id, sequence, id, type, subject_id, payload, created_at)
      select 'w1', n, 'e', 't', 's', repeat($1, 25000), '' from generate_series(1, 3) n`,
    [TEXT],
  )
  const directory = createTempDir()
  const sums = await createChecksumList(directory)
  const { schema, counts } = await copyRows({
    dataDir: '',
    databaseUrl: url,
    directory,
    sums,
    onProgress: () => {},
  })
  await sums.end()
  const batches: string[][] = []
  async function* readLines(table: string) {
    for await (const batch of readTableLines(directory, table)) {
      batches.push(batch)
      yield batch
    }
  }
  const other = await createEmptyDatabase()
  await loadPostgres({ url: other.url, schema, counts, values: {}, readLines, onTable: () => {} })
  for (const batch of batches) {
    assert.ok(batch.length === 1 || batch.join().length < MAX_BATCH_LENGTH)
  }
  const digest = async (db: typeof admin) =>
    (
      await db.query(`select count(*), md5(string_agg(md5(t::text), '' order by t::text)) from (
      select workspace_id, sequence::text, payload from events
      union all select id, name, timezone from workspaces) t`)
    ).rows
  assert.deepEqual(await digest(other.admin), await digest(admin))
})

test('a dump is not read faster than it is written, and ends when it cannot be', async () => {
  const { url, admin } = await createFilledDatabase()
  // More than the buffers of a connection hold.
  await admin.query(
    `insert into events (workspace_id, sequence, id, type, subject_id, payload, created_at)
      select 'w1', n, 'e', 't', 's', repeat('x', 2000000), '' from generate_series(1, 10) n`,
  )
  const reading = Promise.withResolvers<void>()
  const writing = Promise.withResolvers<void>()
  const dumping = dumpPostgres(url, async (table, lines) => {
    if (table !== 'events' || lines.length === 0) return
    reading.resolve()
    await writing.promise
    throw new Error('The disk is full')
  })
  await reading.promise
  const readState = async () =>
    (
      await admin.query(`select wait_event as state from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`)
    ).rows[0]?.state
  // While it waits, the event loop would read the rest many times over.
  for (let waits = 0; waits < 200; ) {
    const state = await readState()
    assert.notEqual(state, 'ClientRead', 'all of it has been sent')
    waits = state === 'ClientWrite' ? waits + 1 : 0
  }
  writing.resolve()
  await assert.rejects(dumping, /The disk is full/)
})
