import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { oldestFor } from '#storage/migrate.ts'
import { migratePostgres } from '#storage/migrate-postgres.ts'
import type { Migration } from '#storage/migrations.ts'
import { migrateStore, openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { insertOldTasks } from '../support/old-tasks.ts'
import { asRelease, BEFORE, NEXT } from '../support/releases.ts'
import { emptyPlace } from '../support/saved.ts'
import { atEnd, emptyDatabase, names, put } from '../support/store.ts'

/** A release that takes away what no release does without that knows fewer migrations than the named one. */
const taking = (contracts: string): Migration => ({
  name: 'next-4-without',
  sql: 'drop index tasks_effort; alter table tasks drop column effort;',
  contracts,
})

for (const engine of ENGINES) {
  test(`an older Docket works on what bears it, and on nothing else: ${engine}`, async () => {
    const place = configFrom(await emptyPlace(engine))
    const { storage: running } = await openStore(place)
    const migrated = await asRelease(NEXT, () => migrateStore(place))
    assert.deepEqual(migrated, {
      ...{ engine, from: BEFORE, to: BEFORE + NEXT.length },
      applied: NEXT.map(({ name }) => name),
    })
    assert.equal(await running.ready(), true)

    const said: unknown[] = []
    const told = (what: string, figures: object) => said.push(what, figures)
    const again = await openStore({ ...place, told })
    const versions = { version: BEFORE + NEXT.length, knows: BEFORE, oldest: oldestFor(BEFORE) }
    assert.deepEqual(said, ['The database is of a newer Docket', versions])
    await put(again.storage, 'written by the older')
    assert.ok((await names(again.storage)).includes('written by the older'))
    await again.storage.close()
    const { applied, to } = await migrateStore(place)
    assert.deepEqual([applied, to], [[], BEFORE + NEXT.length], 'it leaves the version alone')

    await asRelease([...NEXT, taking('next-2-efforts')], () => migrateStore(place))
    assert.equal(await running.ready(), false)
    await assert.rejects(
      openStore(place),
      /at version \d+ and this Docket knows \d+: start the newer/,
    )
    await asRelease(NEXT.slice(0, 1), () => assert.rejects(openStore(place), /knows/))
    const { storage: newer } = await asRelease(NEXT.slice(0, 2), () => openStore(place))
    await newer.close()
    await running.close()
  })
}

test('a migration that names none from which on it is safe is no migration', async () => {
  const { url } = await emptyDatabase()
  const wrong = asRelease([...NEXT, taking('next-2-effort')], () => migratePostgres(url))
  await assert.rejects(wrong, /next-2-effort, which is no migration/)
})

/** A database of this release, with tasks. */
async function oldDatabase() {
  const { url, admin } = await emptyDatabase()
  const place = configFrom({ ...(await emptyPlace('sqlite')), DOCKET_DATABASE_URL: url })
  const { storage } = await openStore(place)
  await insertOldTasks(admin, await newHome(storage), 100)
  await storage.close()
  return { url, admin }
}

const versionIn = async (admin: pg.Client) => {
  const { rows } = await admin.query('select max(version) as version from schema_version')
  return rows[0]?.version
}

const indexIn = async (admin: pg.Client): Promise<boolean | undefined> => {
  const of =
    "select indisvalid as valid from pg_index where indexrelid = to_regclass('tasks_effort')"
  const { rows } = await admin.query(of)
  return rows[0]?.valid
}

test('half of an index that is left behind is built anew', async () => {
  const { url, admin } = await oldDatabase()
  // Whoever has looked at anything before must not miss a row by it: so long it is not whole.
  const reader = new pg.Client(url)
  await reader.connect()
  atEnd(() => reader.end())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from users')
  const first = asRelease(NEXT, async () => {
    const migrating = migratePostgres(url)
    migrating.catch(() => {})
    while ((await indexIn(admin)) !== false) await pause(10)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'docket-migration' and datname = current_database()`,
    )
    return migrating
  })
  await assert.rejects(first)
  await reader.query('commit')
  assert.equal(await versionIn(admin), BEFORE + 2)
  assert.equal(await indexIn(admin), false)
  const { applied } = await asRelease(NEXT, () => migratePostgres(url))
  assert.deepEqual(applied, ['next-3-effort-index'])
  assert.equal(await indexIn(admin), true)
})

test('several that migrate at once do each thing once', async () => {
  const { url, admin } = await oldDatabase()
  const runs = await asRelease(NEXT, () => Promise.all([1, 2, 3].map(() => migratePostgres(url))))
  assert.deepEqual(
    runs.flatMap(({ applied }) => applied).toSorted(),
    NEXT.map(({ name }) => name),
  )
  assert.ok(runs.every(({ to }) => to === BEFORE + NEXT.length))
  assert.equal(await indexIn(admin), true)
})

test('a migration that gets no lock lets go of it, tries again, and gives up', async () => {
  const { url, admin } = await oldDatabase()
  await admin.query('begin; lock table tasks in access share mode')
  const said: object[] = []
  const told = (_: string, figures: object) => said.push(figures)
  const migrating = asRelease(NEXT, () => migratePostgres(url, told, 2))
  await assert.rejects(migrating, /did not get its locks in 2 tries \(.*lock timeout/)
  await admin.query('commit')
  assert.equal(said.length, 1)
  assert.equal(await versionIn(admin), BEFORE)
  await asRelease(NEXT, () => migratePostgres(url))
})

test('of a partitioned table each part gets the index, and the whole', async () => {
  const { url, admin } = await oldDatabase()
  const parted: Migration[] = [
    {
      name: 'parted',
      sql: '',
      postgres: `create table parted (workspace_id text not null) partition by hash (workspace_id);
        create table parted_0 partition of parted for values with (modulus 2, remainder 0);
        create table parted_1 partition of parted for values with (modulus 2, remainder 1);
        insert into parted select 'w' || n from generate_series(1, 100) n;`,
    },
    {
      name: 'parted-index',
      index: { name: 'parted_ids', table: 'parted', columns: '(workspace_id)' },
    },
  ]
  await asRelease(parted, () => migratePostgres(url))
  const { rows } = await admin.query(
    `select inhrelid::regclass::text as name, indisvalid as valid from pg_inherits
      join pg_index on indexrelid = inhrelid where inhparent = 'parted_ids'::regclass order by 1`,
  )
  assert.deepEqual(
    rows,
    [0, 1].map((part) => ({ name: `parted_ids_parted_${part}`, valid: true })),
  )
})
