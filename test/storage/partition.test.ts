import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { sqlOf } from '#storage/migrate.ts'
import { migratePostgres } from '#storage/migrate-postgres.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { deliveriesBetween } from '#storage/old-deliveries.ts'
import { oldestEvents } from '#storage/old-events.ts'
import { PARTED } from '#storage/parted.ts'
import { partitionPostgres } from '#storage/partition.ts'
import { dumpPostgres } from '#storage/postgres-dump.ts'
import { loadPostgres } from '#storage/postgres-load.ts'
import { slotsFilled } from '#test/support/distribution.ts'
import { docketOn, SECRET } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { emptyDatabase } from '#test/support/store.ts'
import { walled } from '#test/support/walls.ts'
import { answerOf, docket } from '../cli/run.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A database with two workspaces in which something has happened. */
async function lived() {
  const { url, admin } = await emptyDatabase()
  const { storage, server } = await docketOn('postgres', { DOCKET_DATABASE_URL: url })
  const homes = [await newHome(storage), await newHome(storage)]
  for (const { keys, project } of homes) {
    const headers = { authorization: `Bearer ${keys.owner}` }
    const post = async (path: string, payload: object) => {
      const reply = await server.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
      assert.ok(reply.statusCode < 300, reply.body)
      return reply.json().id as string
    }
    const webhook = await post('/webhooks', { url: 'https://example.com', events: ['*'] })
    for (let n = 0; n < 3; n += 1) {
      const task = await post('/tasks', { project_id: project, title: `Task ${n}` })
      await post(`/tasks/${task}/comments`, { body: 'words' })
      await post(`/tasks/${task}/complete`, {})
      await post(`/webhooks/${webhook}/test`, {})
    }
  }
  await admin.query(`insert into delivery_attempts
    select workspace_id, id, 1, created_at, 5, 200, 'ok', null, 'https://example.com', '{}' from deliveries`)
  const env = { DOCKET_DATABASE_URL: url, DOCKET_SECRET: SECRET, DOCKET_DATA_DIR: '/nonexistent' }
  return { url, admin, env, homes, server, split: () => answerOf(env, 'partition', '--parts', '4') }
}

/** All rows of all tables, as a backup has them. */
async function rowsOf(url: string) {
  const tables = new Map<string, string[]>()
  await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), ...lines])
  })
  return new Map([...tables].map(([table, lines]) => [table, lines.toSorted()]))
}

/** Names and definitions of what belongs to whole tables and to those in parts, but not to parts. */
async function schemaOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select replace(pg_get_indexdef(oid), ' ON ONLY ', ' ON ') as line from pg_class
    where relkind in ('i', 'I') and not relispartition and relnamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', conrelid::regclass, conname, contype, convalidated, pg_get_constraintdef(c.oid))
    from pg_constraint c join pg_class on pg_class.oid = conrelid
    where conparentid = 0 and not relispartition and relnamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod),
      attcollation::regcollation, attnotnull, pg_get_expr(adbin, adrelid))
    from pg_attribute join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
      and relnamespace = 'public'::regnamespace
    order by 1`)
  return rows.map(({ line }) => line)
}

const partsOf = async (client: pg.Client): Promise<Record<string, number>> => {
  const { rows } = await client.query<{ of: string; n: number }>(
    'select inhparent::regclass::text as of, count(*)::int as n from pg_inherits join pg_class on oid = inhrelid where relkind = $1 group by 1',
    ['r'],
  )
  return Object.fromEntries(rows.map(({ of, n }) => [of, n]))
}

const ALL_IN_FOUR = Object.fromEntries(PARTED.map((table) => [table, 4]))

test('tables in parts have the same rows, indexes, references, settings and rights as whole ones', async () => {
  const { url, admin, env, split } = await lived()
  await admin.query(`create role reporting_${process.pid};
    grant select on events to reporting_${process.pid};
    alter table events set (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_enabled = false)`)
  const [rows, schema] = [await rowsOf(url), await schemaOf(admin)]
  const told = await split()
  const wanted = PARTED.map((table) => ({ table, parts: 4, rows: rows.get(table)?.length }))
  assert.deepEqual(told, { data: wanted })
  for (const { table, rows } of wanted) assert.ok((rows ?? 0) > 0, `${table} has rows`)
  assert.deepEqual(await partsOf(admin), ALL_IN_FOUR)
  assert.deepEqual(await schemaOf(admin), schema)
  assert.deepEqual(await rowsOf(url), rows)
  const { rows: said } =
    await admin.query(`select distinct array_to_string(p.reloptions, ',') as own,
      array_to_string(t.reloptions, ',') as toast from pg_class p join pg_class t on t.oid = p.reltoastrelid
    where p.relname like 'events\\_p%'`)
  assert.deepEqual(said, [
    { own: 'autovacuum_vacuum_scale_factor=0.02', toast: 'autovacuum_enabled=false' },
  ])
  const { rows: rights } = await admin.query(`select has_table_privilege($1, 'events', 'select')`, [
    `reporting_${process.pid}`,
  ])
  assert.deepEqual(rights, [{ has_table_privilege: true }])

  assert.deepEqual(await split(), { data: wanted }, 'what is split stays as it is')
  const { stdout } = await docket(env, 'doctor')
  assert.match(stdout, /ok +tables +parts by workspace: activity in 4, deliveries in 4/)
  await assert.rejects(
    admin.query(`insert into delivery_attempts select workspace_id, 'none', 1, created_at, 5, 200,
      null, null, '', '{}' from deliveries limit 1`),
    /violates foreign key/,
  )
  await assert.rejects(admin.query('insert into events select * from events limit 1'), /duplicate/)
  await admin.query('delete from tasks')
  assert.equal((await admin.query('select 1 from activity')).rowCount, 0, 'it goes with its task')
  await admin.query(`drop owned by reporting_${process.pid}; drop role reporting_${process.pid}`)
})

test('a backup of tables in parts fills a database with whole ones', async () => {
  const { url, split } = await lived()
  const rows = await rowsOf(url)
  await split()
  const tables = new Map<string, (readonly string[])[]>()
  const copied = await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), lines])
  })
  const other = await emptyDatabase()
  const { schema, counts } = copied
  async function* linesOf(table: string) {
    yield* (tables.get(table) ?? []).filter(({ length }) => length > 0)
  }
  await loadPostgres({ url: other.url, schema, counts, values: {}, told: () => {}, linesOf })
  assert.deepEqual(await rowsOf(other.url), rows)
  assert.deepEqual(await partsOf(other.admin), {})
})

test('what a table would lose is told, and it stays whole', async () => {
  const { url, admin, env } = await lived()
  await admin.query(`create function watch() returns trigger language plpgsql as 'begin return new; end';
    create trigger watched before insert on deliveries for each row execute function watch()`)
  const before = await rowsOf(url)
  const { code, stderr } = await docket(env, 'partition', '--parts', '4')
  assert.equal(code, 1)
  assert.match(stderr, /deliveries would lose something of itself/)
  assert.match(stderr, /trigger watched/)
  assert.deepEqual(await partsOf(admin), { events: 4 })
  assert.deepEqual(await rowsOf(url), before)
  const { stdout } = await docket(env, 'doctor')
  assert.match(stdout, /WARNING +tables +.*whole: deliveries, delivery_attempts, activity/)
  await admin.query('drop trigger watched on deliveries')
  await answerOf(env, 'partition', '--parts', '4')
  assert.deepEqual(await partsOf(admin), ALL_IN_FOUR)
})

test('killed when the whole table is gone already, it has left the whole table', async () => {
  const { url, admin, env, split } = await lived()
  // An index that is only made when this test lets go.
  await admin.query(`create function held(text) returns text immutable language plpgsql as
      'begin perform pg_advisory_lock(77); perform pg_advisory_unlock(77); return $1; end';
    create index deliveries_held on deliveries (workspace_id, held(id))`)
  const before = await rowsOf(url)
  await admin.query('select pg_advisory_lock(77)')
  const words = ['src/cli/main.ts', 'partition', '--parts', '4']
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  const isAtIt = async () => {
    const { rows } = await admin.query(`select 1 from pg_stat_activity
      where datname = current_database() and query like 'CREATE INDEX deliveries_held%'
        and wait_event_type = 'Lock'`)
    return rows.length > 0
  }
  const end = performance.now() + 20_000
  while (!(await isAtIt())) {
    assert.ok(performance.now() < end && child.exitCode === null, 'it comes to the index')
    await pause(20)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  await admin.query('select pg_advisory_unlock(77)')
  assert.deepEqual(await rowsOf(url), before)
  assert.deepEqual(await partsOf(admin), { events: 4 })
  await split()
  assert.deepEqual(await partsOf(admin), ALL_IN_FOUR)
  assert.deepEqual(await rowsOf(url), before)
})

test('of tables in parts a statement looks into the part of its workspace, by its index', async () => {
  const { url, admin, homes } = await lived()
  await partitionPostgres({ url, tables: PARTED, parts: 16, told: () => {} })
  await admin.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
  const given = { workspace_id: homes[0]?.workspace, limit: 10, after: '', before: 'z' }
  for (const [at, { text }] of [oldestEvents, deliveriesBetween].entries()) {
    const { sql, values } = text('postgres')
    await admin.query(`prepare one_${at} as ${sql}`)
    const filled = slotsFilled(values, given).map((value) => admin.escapeLiteral(String(value)))
    const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off) execute one_${at} (${filled})`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Subplans Removed: 15/, plan)
    assert.match(plan, /Index (Only )?Scan using (events|deliveries)_p\d+/, plan)
    assert.doesNotMatch(plan, /Seq Scan on (events|deliveries)/, plan)
  }
})

/** What a later migration may do, besides those that there are. */
const LATER = `
alter table events add column seen_at text;
alter table deliveries add column weight integer not null default 3;
create index events_seen on events (workspace_id, seen_at) where seen_at is not null;
create unique index activity_kind on activity (workspace_id, kind, id);
create table notes (
  workspace_id text collate "C" not null, delivery_id text collate "C" not null, note text,
  primary key (workspace_id, delivery_id),
  foreign key (workspace_id, delivery_id) references deliveries on delete cascade
);
update deliveries set weight = 4 where is_test = 1;
alter table activity drop column credential_name;
drop index events_type;`
/** The first version that could be split. */
const SPLITTABLE = 10

test('later migrations come out the same before and after the tables are split', async () => {
  const schemas: string[][] = []
  for (const isSplitFirst of [true, false]) {
    const { url, admin } = await emptyDatabase()
    await admin.query('create table schema_version (version integer not null)')
    for (const [at, migration] of MIGRATIONS.slice(0, SPLITTABLE).entries()) {
      await admin.query(sqlOf(migration, 'postgres'))
      await admin.query('insert into schema_version values ($1)', [at + 1])
    }
    const split = () => partitionPostgres({ url, tables: PARTED, parts: 4, told: () => {} })
    if (isSplitFirst) await split()
    await migratePostgres(url)
    await admin.query(LATER)
    if (!isSplitFirst) await split()
    assert.deepEqual(await partsOf(admin), ALL_IN_FOUR)
    schemas.push(await schemaOf(admin))
  }
  assert.deepEqual(schemas[0], schemas[1])
})

test('scenarios come out the same on tables in parts', async () => {
  const { url } = await emptyDatabase()
  await migratePostgres(url)
  await partitionPostgres({ url, tables: PARTED, parts: 16, told: () => {} })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(
    process.execPath,
    [
      ...['--test', '--test-isolation=none', '--test-reporter=tap'],
      '--test-name-pattern=\\(postgres\\)',
      ...['events', 'deliveries', 'activity', 'comments'].map(
        (noun) => `src/resources/${noun}/*.test.ts`,
      ),
    ],
    { cwd: ROOT, env: { ...env, TEST_POSTGRES: url, TEST_POSTGRES_WALLED: await walled(url) } },
  )
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      told += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, told.slice(-10_000))
  assert.ok(Number(/^# pass (\d+)/m.exec(told)?.[1]) > 30, told.slice(-1_000))
})
