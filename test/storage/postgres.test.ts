import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { checkDatabase } from '#doctor/check-database.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

let url: string
let admin: pg.Client
let storage: Storage
const idle: Error[] = []

before(async () => {
  ;({ url, admin } = await createEmptyDatabase())
  const onIdleError = (error: Error) => idle.push(error)
  storage = closeAfterFile(await openPostgres({ url, onIdleError, ...TEST_STORE_OPTIONS }))
})

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof ApiError && error.status === status

/** Returns when the server has closed the connections. */
const terminateConnections = (which: string) =>
  admin.query(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity
     where application_name = 'docket' and datname = current_database() and ${which}`,
  )

/** Adds a trigger that runs the SQL whenever a note of this name is inserted. */
const onInsert = (name: string, sql: string) =>
  admin.query(`create function on_${name}() returns trigger language plpgsql as
    $$ begin ${sql} return new; end $$;
    create trigger on_${name} before insert on installation for each row
    when (new.name = '${name}') execute function on_${name}()`)

test('retries serialization failures and deadlocks, and answers 503 if they last', async () => {
  for (const [state, fails, written] of [
    ['40001', 2, true],
    ['40P01', 3, true],
    ['40001', 9, false],
  ] as const) {
    const name = `again_${state.toLowerCase()}_${fails}`
    await admin.query(`create sequence of_${name}`)
    await onInsert(
      name,
      `if nextval('of_${name}') <= ${fails} then
         raise exception 'not now' using errcode = '${state}'; end if;`,
    )
    const both = await Promise.allSettled([
      writeNote(storage, name),
      writeNote(storage, `beside_${name}`),
    ])
    for (const one of both) {
      if (written) assert.equal(one.status, 'fulfilled', name)
      else assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason), name)
    }
    const storedNames = await readNoteNames(storage)
    assert.deepEqual(
      [storedNames.includes(name), storedNames.includes(`beside_${name}`)],
      [written, written],
    )
  }
})

test('tells how long writes wait for a connection', async () => {
  const options = { url, maxConnections: 1, ...TEST_STORE_OPTIONS }
  const narrow = closeAfterFile(await openPostgres(options))
  const [{ workspace }, other] = [
    await createTestWorkspace(storage),
    await createTestWorkspace(storage),
  ]
  assert.equal(narrow.stats().oldestWriteWaitMs, 0)
  await admin.query('begin')
  await admin.query('select id from workspaces where id = $1 for update', [workspace])
  const writes = [workspace, other.workspace].map((workspace_id) =>
    narrow.write({ ...ANONYMOUS_ACTOR, workspace_id }, async () => workspace_id),
  )
  await waitUntil('the wait of the second', () => narrow.stats().oldestWriteWaitMs > 0)
  await admin.query('rollback')
  assert.deepEqual(await Promise.all(writes), [workspace, other.workspace])
  assert.equal(narrow.stats().oldestWriteWaitMs, 0)
})

test('a slow statement and a locked workspace are a 503', async () => {
  await onInsert('sleepy', 'perform pg_sleep(120);')
  const { workspace } = await createTestWorkspace(storage)
  await admin.query('begin')
  await admin.query('select id from workspaces where id = $1 for update', [workspace])
  const locked = storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) =>
    tx.run(insertNote, { name: 'locked', value: '' }),
  )
  const both = await Promise.allSettled([writeNote(storage, 'sleepy'), locked])
  await admin.query('rollback')
  for (const one of both) assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason))
  await writeNote(storage, 'awake')
  const storedNames = await readNoteNames(storage)
  assert.deepEqual(
    ['locked', 'sleepy', 'awake'].map((name) => storedNames.includes(name)),
    [false, false, true],
  )
})

test('a connection lost during a write is a 503, and the next write uses another one', async () => {
  const lost = storage.write(ANONYMOUS_ACTOR, async (tx) => {
    await tx.run(insertNote, { name: 'lost', value: '' })
    await terminateConnections("state = 'idle in transaction'")
    // The termination arrives while no statement is running.
    await nextTurn()
    await tx.run(insertNote, { name: 'lost too', value: '' })
  })
  await assert.rejects(lost, refusedWith(503))
  await writeNote(storage, 'next')
  const storedNames = await readNoteNames(storage)
  assert.ok(storedNames.includes('next') && !storedNames.includes('lost'))
})

test('the end of idle connections does not end the process', async () => {
  await Promise.all([readNoteNames(storage), readNoteNames(storage), writeNote(storage, 'idle')])
  await terminateConnections('true')
  await waitUntil('the error of an idle connection', () => idle.length > 0)
  while (!(await storage.isReady()));
  assert.ok((await readNoteNames(storage)).includes('idle'))
})

test('an unreachable server is not ready, and everything is a 503', async () => {
  const away = await createEmptyDatabase()
  const gone = closeAfterFile(await openPostgres({ url: away.url, ...TEST_STORE_OPTIONS }))
  const name = new URL(away.url).pathname.slice(1)
  await admin.query(`alter database ${name} allow_connections false`)
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2',
    [name, (await away.admin.query('select pg_backend_pid() as pid')).rows[0].pid],
  )
  assert.equal(await gone.isReady(), false)
  await assert.rejects(readNoteNames(gone), refusedWith(503))
  await assert.rejects(writeNote(gone, 'never'), refusedWith(503))
  await admin.query(`alter database ${name} allow_connections true`)
  assert.equal(await gone.isReady(), true)
  await writeNote(gone, 'back')
})

test('processes that open a new database concurrently migrate it once; a newer one is refused', async () => {
  const { url: fresh, admin: beside } = await createEmptyDatabase()
  const open = () => openPostgres({ url: fresh, ...TEST_STORE_OPTIONS })
  const both = await Promise.all([open(), open(), open()])
  for (const one of both) await one.close()
  const { rows } = await beside.query('select version from schema_version order by version')
  const versions = rows.map(({ version }) => version)
  assert.deepEqual(versions, [...new Set(versions)])
  await beside.query('insert into schema_version values (99)')
  await assert.rejects(open(), /version 99/)
})

test('a start measures small tables, whose statements PostgreSQL would plan in every request', async () => {
  const { url, admin } = await createEmptyDatabase()
  const open = () => openPostgres({ url, ...TEST_STORE_OPTIONS })
  const countRows = async () =>
    (await admin.query("select reltuples from pg_class where relname = 'projects'")).rows
  const storage = await open()
  await createTestWorkspace(storage)
  await storage.close()
  assert.deepEqual(await countRows(), [{ reltuples: -1 }], 'control')
  await (await open()).close()
  assert.deepEqual(await countRows(), [{ reltuples: 2 }])
})

test('refuses a server that may lose acknowledged commits', async () => {
  const { url: fresh } = await createEmptyDatabase()
  const risky = `${fresh}?options=${encodeURIComponent('-c synchronous_commit=off')}`
  await assert.rejects(
    openPostgres({ url: risky, ...TEST_STORE_OPTIONS }),
    /synchronous_commit = off/,
  )
})

/** Makes the server report another version to sessions that start from now on. */
async function pretendVersion(version: string) {
  const { url: fresh, admin: beside } = await createEmptyDatabase()
  const { rows } = await beside.query('select current_database() as name')
  await beside.query(`create schema pretended;
    create function pretended.current_setting(name text) returns text language sql as $$
      select case name when 'server_version' then '${version}'
        else pg_catalog.current_setting(name) end $$;
    alter database ${rows[0].name} set search_path = pretended, pg_catalog`)
  return fresh
}

test('refuses a version of PostgreSQL that is too old, and warns of one that is too new', async () => {
  const old = await pretendVersion('14.9 (Debian 14.9-1)')
  await assert.rejects(
    openPostgres({ url: old, ...TEST_STORE_OPTIONS }),
    /^Error: PostgreSQL 14\.9 .* is too old: Docket supports 15 to 18/,
  )
  const [refused] = (await checkDatabase({ dataDir: '', databaseUrl: old })).findings
  assert.equal(refused?.status, 'failed')
  const warnings: string[] = []
  const onSchemaEvent = (what: string) => warnings.push(what)
  const later = await pretendVersion('19beta1')
  await (await openPostgres({ url: later, onSchemaEvent, ...TEST_STORE_OPTIONS })).close()
  assert.match(warnings.join(), /^PostgreSQL 19beta1 is newer than those .* \(15 to 18\)$/)
  const [warned] = (await checkDatabase({ dataDir: '', databaseUrl: later })).findings
  assert.equal(warned?.status, 'warning')
})
