import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { deliveriesBetween } from '#db/deliveries/delivery-retention.ts'
import { oldestEvents } from '#db/events/event-retention.ts'
import { dumpPostgres } from '#db/postgres/dump.ts'
import { loadPostgres } from '#db/postgres/load.ts'
import { PARTITIONED_TABLES, partitionPostgres } from '#db/postgres/partition.ts'
import { CLI_ENTRY, runCli, runCliJson } from '#test/cli/run-cli.ts'
import { fillSlots } from '#test/support/engines/table-distribution.ts'
import { createEmptyDatabase, createMigratedDatabase } from '#test/support/engines/test-database.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { NODE_ARGS } from '#test/support/server/server-process.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Creates a database with activity in two workspaces. */
async function createUsedDatabase() {
  const { url, admin } = await createMigratedDatabase()
  const { storage, server } = await openTestDocket('postgres', { DOCKET_DATABASE_URL: url })
  const homes = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
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
  const env = {
    DOCKET_DATABASE_URL: url,
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_DATA_DIR: '/nonexistent',
  }
  return {
    url,
    admin,
    env,
    homes,
    server,
    split: () => runCliJson(env, 'partition', '--parts', '4'),
  }
}

const splitTables = (url: string, parts: number): Promise<unknown> =>
  partitionPostgres({ url, tables: PARTITIONED_TABLES, parts, onProgress: () => {} })

/** Reads all rows of all tables, as a backup does. */
async function readRows(url: string) {
  const tables = new Map<string, string[]>()
  await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), ...lines])
  })
  return new Map([...tables].map(([table, lines]) => [table, lines.toSorted()]))
}

/** Reads the definitions of indexes, constraints and columns, except those of partitions. */
async function readSchema(client: pg.Client): Promise<string[]> {
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

const countPartitions = async (client: pg.Client): Promise<Record<string, number>> => {
  const { rows } = await client.query<{ of: string; n: number }>(
    'select inhparent::regclass::text as of, count(*)::int as n from pg_inherits join pg_class on oid = inhrelid where relkind = $1 group by 1',
    ['r'],
  )
  return Object.fromEntries(rows.map(({ of, n }) => [of, n]))
}

const FOUR_PARTITIONS_EACH = Object.fromEntries(PARTITIONED_TABLES.map((table) => [table, 4]))

test('partitioned tables keep their rows, indexes, foreign keys, settings and privileges', async () => {
  const { url, admin, env, split } = await createUsedDatabase()
  await admin.query(`create role reporting_${process.pid};
    grant select on events to reporting_${process.pid};
    alter table events set (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_enabled = false)`)
  const [rows, schema] = [await readRows(url), await readSchema(admin)]
  const result = await split()
  const expected = PARTITIONED_TABLES.map((table) => ({
    table,
    parts: 4,
    rows: rows.get(table)?.length,
  }))
  assert.deepEqual(result, { data: expected })
  for (const { table, rows } of expected) assert.ok((rows ?? 0) > 0, `${table} has rows`)
  assert.deepEqual(await countPartitions(admin), FOUR_PARTITIONS_EACH)
  assert.deepEqual(await readSchema(admin), schema)
  assert.deepEqual(await readRows(url), rows)
  const { rows: storageSettings } =
    await admin.query(`select distinct array_to_string(p.reloptions, ',') as own,
      array_to_string(t.reloptions, ',') as toast from pg_class p join pg_class t on t.oid = p.reltoastrelid
    where p.relname like 'events\\_p%'`)
  assert.deepEqual(storageSettings, [
    { own: 'autovacuum_vacuum_scale_factor=0.02', toast: 'autovacuum_enabled=false' },
  ])
  const { rows: rights } = await admin.query(`select has_table_privilege($1, 'events', 'select')`, [
    `reporting_${process.pid}`,
  ])
  assert.deepEqual(rights, [{ has_table_privilege: true }])

  assert.deepEqual(await split(), { data: expected }, 'what is split stays as it is')
  const { stdout } = await runCli(env, 'doctor')
  assert.match(stdout, /ok +tables +partitions: activity in 4, deliveries in 4/)
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

test('a backup of partitioned tables can be loaded into unpartitioned ones', async () => {
  const { url } = await createUsedDatabase()
  const rows = await readRows(url)
  await splitTables(url, 4)
  const tables = new Map<string, (readonly string[])[]>()
  const copied = await dumpPostgres(url, async (table, lines) => {
    tables.set(table, [...(tables.get(table) ?? []), lines])
  })
  const other = await createEmptyDatabase()
  const { schema, counts } = copied
  async function* linesOf(table: string) {
    yield* (tables.get(table) ?? []).filter(({ length }) => length > 0)
  }
  await loadPostgres({
    url: other.url,
    schema,
    counts,
    values: {},
    onTable: () => {},
    readLines: linesOf,
  })
  assert.deepEqual(await readRows(other.url), rows)
  assert.deepEqual(await countPartitions(other.admin), {})
})

test('reports what a table would lose and leaves it unpartitioned', async () => {
  const { url, admin, env } = await createUsedDatabase()
  await admin.query(`create function watch() returns trigger language plpgsql as 'begin return new; end';
    create trigger watched before insert on deliveries for each row execute function watch()`)
  const before = await readRows(url)
  const { code, stderr } = await runCli(env, 'partition', '--parts', '4')
  assert.equal(code, 1)
  assert.match(stderr, /The definition of deliveries would change/)
  assert.match(stderr, /trigger watched/)
  assert.deepEqual(await countPartitions(admin), { events: 4 })
  assert.deepEqual(await readRows(url), before)
  const { stdout } = await runCli(env, 'doctor')
  assert.match(
    stdout,
    /WARNING +tables +.*not partitioned: deliveries, delivery_attempts, activity/,
  )
  await admin.query('drop trigger watched on deliveries')
  await splitTables(url, 4)
  assert.deepEqual(await countPartitions(admin), FOUR_PARTITIONS_EACH)
})

test('a kill after the old table was dropped rolls back to it', async () => {
  const { url, admin, env } = await createUsedDatabase()
  // The build of this index waits until the test releases the lock.
  await admin.query(`create function held(text) returns text immutable language plpgsql as
      'begin perform pg_advisory_lock(77); perform pg_advisory_unlock(77); return $1; end';
    create index deliveries_held on deliveries (workspace_id, held(id))`)
  const before = await readRows(url)
  await admin.query('select pg_advisory_lock(77)')
  const words = [...NODE_ARGS, CLI_ENTRY, 'partition', '--parts', '4']
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  const isBuildingIndex = async () => {
    const { rows } = await admin.query(`select 1 from pg_stat_activity
      where datname = current_database() and query like 'CREATE INDEX deliveries_held%'
        and wait_event_type = 'Lock'`)
    return rows.length > 0
  }
  const end = performance.now() + 60_000
  while (!(await isBuildingIndex())) {
    assert.ok(performance.now() < end && child.exitCode === null, 'it comes to the index')
    await pause(20)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  await admin.query('select pg_advisory_unlock(77)')
  assert.deepEqual(await readRows(url), before)
  assert.deepEqual(await countPartitions(admin), { events: 4 })
  await splitTables(url, 4)
  assert.deepEqual(await countPartitions(admin), FOUR_PARTITIONS_EACH)
  assert.deepEqual(await readRows(url), before)
})

test('a statement reads only the partition of its workspace, by its index', async () => {
  const { url, admin, homes } = await createUsedDatabase()
  await splitTables(url, 16)
  await admin.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
  const params = { workspace_id: homes[0]?.workspace, limit: 10, after: '', before: 'z' }
  for (const [at, { text }] of [oldestEvents, deliveriesBetween].entries()) {
    const { sql, values } = text('postgres')
    await admin.query(`prepare one_${at} as ${sql}`)
    const filled = fillSlots(values, params).map((value) => admin.escapeLiteral(String(value)))
    const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off) execute one_${at} (${filled})`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Subplans Removed: 15/, plan)
    assert.match(plan, /Index (Only )?Scan using (events|deliveries)_p\d+/, plan)
    assert.doesNotMatch(plan, /Seq Scan on (events|deliveries)/, plan)
  }
})

/** What a future migration may do. */
const FUTURE_MIGRATION = `
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

test('later migrations give the same schema before and after partitioning', async () => {
  const schemas: string[][] = []
  for (const isSplitFirst of [true, false]) {
    const { url, admin } = await createMigratedDatabase()
    if (isSplitFirst) await splitTables(url, 4)
    await admin.query(FUTURE_MIGRATION)
    if (!isSplitFirst) await splitTables(url, 4)
    assert.deepEqual(await countPartitions(admin), FOUR_PARTITIONS_EACH)
    schemas.push(await readSchema(admin))
  }
  assert.deepEqual(schemas[0], schemas[1])
})
