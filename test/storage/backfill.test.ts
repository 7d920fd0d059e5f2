import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { migratePostgres } from '#db/migrate/migrate-postgres.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { runAsRelease } from '../support/migrations/next-release-migrations.ts'
import { waitUntil } from '../support/system/wait-until.ts'

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
