import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Storage } from '#core/tx.ts'
import { openPostgres } from '#storage/postgres.ts'
import { newHome } from '../support/home.ts'
import { closing, emptyDatabase, insertNote, names, put, surroundings } from '../support/store.ts'

let url: string
let admin: pg.Client
let storage: Storage
const idle: Error[] = []

before(async () => {
  ;({ url, admin } = await emptyDatabase())
  const onIdleError = (error: Error) => idle.push(error)
  storage = closing(await openPostgres({ url, onIdleError, ...surroundings }))
})

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof Refusal && error.status === status

const ends = (which: string) =>
  admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'docket' and datname = current_database() and ${which}`,
  )

/** From now on a note of this name does what the SQL says when it is written. */
const when = (name: string, sql: string) =>
  admin.query(`create function on_${name}() returns trigger language plpgsql as
    $$ begin ${sql} return new; end $$;
    create trigger on_${name} before insert on installation for each row
    when (new.name = '${name}') execute function on_${name}()`)

test('serialisation failures and deadlocks are done again, and told as 503 if they last', async () => {
  for (const [state, fails, written] of [
    ['40001', 2, true],
    ['40P01', 3, true],
    ['40001', 9, false],
  ] as const) {
    const name = `again_${state.toLowerCase()}_${fails}`
    await admin.query(`create sequence of_${name}`)
    await when(
      name,
      `if nextval('of_${name}') <= ${fails} then
         raise exception 'not now' using errcode = '${state}'; end if;`,
    )
    const both = await Promise.allSettled([put(storage, name), put(storage, `beside_${name}`)])
    for (const one of both) {
      if (written) assert.equal(one.status, 'fulfilled', name)
      else assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason), name)
    }
    const kept = await names(storage)
    assert.deepEqual([kept.includes(name), kept.includes(`beside_${name}`)], [written, written])
  }
})

test('what takes too long is 503: a statement, and the lock of a workspace', async () => {
  await when('sleepy', 'perform pg_sleep(120);')
  const { workspace } = await newHome(storage)
  await admin.query('begin')
  await admin.query('select id from workspaces where id = $1 for update', [workspace])
  const locked = storage.write({ ...NOBODY, workspace_id: workspace }, (tx) =>
    tx.run(insertNote, { name: 'locked', value: '' }),
  )
  const both = await Promise.allSettled([put(storage, 'sleepy'), locked])
  await admin.query('rollback')
  for (const one of both) assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason))
  await put(storage, 'awake')
  const kept = await names(storage)
  assert.deepEqual(
    ['locked', 'sleepy', 'awake'].map((name) => kept.includes(name)),
    [false, false, true],
  )
})

test('a connection lost in the midst of a write is 503, and the next write has another', async () => {
  const lost = storage.write(NOBODY, async (tx) => {
    await tx.run(insertNote, { name: 'lost', value: '' })
    await ends("state = 'idle in transaction'")
    // Time for the end to arrive while no statement waits for an answer.
    await pause(50)
    await tx.run(insertNote, { name: 'lost too', value: '' })
  })
  await assert.rejects(lost, refusedWith(503))
  await put(storage, 'next')
  const kept = await names(storage)
  assert.ok(kept.includes('next') && !kept.includes('lost'))
})

test('idle connections may end without ending the process', async () => {
  await Promise.all([names(storage), names(storage), put(storage, 'idle')])
  await ends('true')
  while (idle.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  while (!(await storage.ready()));
  assert.ok((await names(storage)).includes('idle'))
})

test('a server that cannot be reached is not ready, and everything is 503', async () => {
  const away = await emptyDatabase()
  const gone = closing(await openPostgres({ url: away.url, ...surroundings }))
  const name = new URL(away.url).pathname.slice(1)
  await admin.query(`alter database ${name} allow_connections false`)
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2',
    [name, (await away.admin.query('select pg_backend_pid() as pid')).rows[0].pid],
  )
  assert.equal(await gone.ready(), false)
  await assert.rejects(names(gone), refusedWith(503))
  await assert.rejects(put(gone, 'never'), refusedWith(503))
  await admin.query(`alter database ${name} allow_connections true`)
  assert.equal(await gone.ready(), true)
  await put(gone, 'back')
})

test('two that open a new database at once migrate it once; a newer one is refused', async () => {
  const { url: fresh, admin: beside } = await emptyDatabase()
  const open = () => openPostgres({ url: fresh, ...surroundings })
  const both = await Promise.all([open(), open(), open()])
  for (const one of both) await one.close()
  const { rows } = await beside.query('select version from schema_version order by version')
  const versions = rows.map(({ version }) => version)
  assert.deepEqual(versions, [...new Set(versions)])
  await beside.query('insert into schema_version values (99)')
  await assert.rejects(open(), /version 99/)
})

test('a server that may lose what it acknowledged is refused', async () => {
  const { url: fresh } = await emptyDatabase()
  const risky = `${fresh}?options=${encodeURIComponent('-c synchronous_commit=off')}`
  await assert.rejects(openPostgres({ url: risky, ...surroundings }), /synchronous_commit = off/)
})
