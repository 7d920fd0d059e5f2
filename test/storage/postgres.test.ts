import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, invalidParameter } from '#core/api-error.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { rawStatement, unscopedQuery } from '#db/core/statement.ts'
import type { EngineConnection } from '#db/core/transaction.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openPostgresPool } from '#db/postgres/pool.ts'
import {
  createPostgresConnection,
  createPostgresReader,
  createStatementNames,
  MAX_PREPARED_STATEMENTS,
} from '#db/postgres/session.ts'
import { checkDatabase } from '#doctor/check-database.ts'
import {
  allNotes,
  closeAfterFile,
  createEmptyDatabase,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

let url: string
let admin: pg.Client
let storage: Storage
/** A single connection, so that the next read sees whatever a report leaves behind on it. */
let reports: Storage
const idle: Error[] = []

before(async () => {
  ;({ url, admin } = await createEmptyDatabase())
  const onIdleError = (error: Error) => idle.push(error)
  storage = closeAfterFile(await openPostgres({ url, onIdleError, ...TEST_STORE_OPTIONS }))
  reports = closeAfterFile(await openPostgres({ url, maxConnections: 1, ...TEST_STORE_OPTIONS }))
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

test('a read whose connection another read has ended is read again by itself', async () => {
  const pool = openPostgresPool({ url })
  afterFile(() => pool.end())
  const reader = createPostgresReader(pool, createStatementNames())
  const [ended, other] = await Promise.allSettled([
    reader.rows('select pg_terminate_backend(pg_backend_pid())', [], true),
    reader.rows('select 1 as n', [], true),
  ])
  assert.ok(ended.status === 'rejected' && refusedWith(503)(ended.reason))
  assert.deepEqual(other, { status: 'fulfilled', value: [{ n: 1 }] })
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
  const [refused] = await checkDatabase({ dataDir: '', databaseUrl: old })
  assert.equal(refused?.status, 'failed')
  const warnings: string[] = []
  const onSchemaEvent = (what: string) => warnings.push(what)
  const later = await pretendVersion('19beta1')
  await (await openPostgres({ url: later, onSchemaEvent, ...TEST_STORE_OPTIONS })).close()
  assert.match(warnings.join(), /^PostgreSQL 19beta1 is newer than those .* \(15 to 18\)$/)
  const [warned] = await checkDatabase({ dataDir: '', databaseUrl: later })
  assert.equal(warned?.status, 'warning')
})

const connectionSettings = unscopedQuery((db) =>
  rawStatement<{ workers: string; memory: string; read_only: string }>(
    db,
    sql`select current_setting('max_parallel_workers_per_gather') as workers,
      current_setting('work_mem') as memory, current_setting('transaction_read_only') as read_only`,
  ),
)

const readSettings = (tx: ReadTx) => tx.one(connectionSettings, {})

/** Counts the connections of the store that are in a transaction. */
const countOpenTransactions = async () => {
  const text = `select count(*)::int as count from pg_stat_activity
    where application_name = 'docket' and datname = current_database() and state like '%transaction%'`
  return (await admin.query(text)).rows[0].count
}

test('a report uses one processor and more memory, and restores the connection settings', async () => {
  const usual = await reports.read(ANONYMOUS_ACTOR, readSettings)
  assert.deepEqual(await reports.readReport(ANONYMOUS_ACTOR, readSettings), {
    workers: '0',
    memory: '32MB',
    read_only: 'on',
  })
  assert.notEqual(usual?.workers, '0')
  assert.deepEqual(await reports.read(ANONYMOUS_ACTOR, readSettings), usual)
})

test('all statements of a report read the same snapshot', async () => {
  await writeNote(reports, 'before')
  const seen = await reports.readReport(ANONYMOUS_ACTOR, async (tx) => {
    const first = await tx.all(allNotes, {})
    await admin.query(`insert into installation (name, value) values ('meanwhile', '')`)
    return [first, await tx.all(allNotes, {})]
  })
  assert.deepEqual(seen[1], seen[0])
  assert.ok((await reports.read(ANONYMOUS_ACTOR, (tx) => tx.all(allNotes, {}))).length > 1)
})

test('an error in a report ends its transaction, and a lost connection is a 503', async () => {
  const refused = reports.readReport(ANONYMOUS_ACTOR, async () => {
    throw invalidParameter('after', 'Too far.')
  })
  await assert.rejects(refused, (error) => error instanceof ApiError && error.status === 400)
  assert.equal(await countOpenTransactions(), 0)
  const lost = reports.readReport(ANONYMOUS_ACTOR, async (tx) => {
    await readSettings(tx)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'docket' and datname = current_database()`,
    )
    return readSettings(tx)
  })
  await assert.rejects(lost, (error) => error instanceof ApiError && error.status === 503)
  assert.equal((await reports.readReport(ANONYMOUS_ACTOR, readSettings))?.workers, '0')
})

test('reports run one after the other, however many connections there are', async () => {
  const wide = closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  let [running, maxRunning] = [0, 0]
  const one = () =>
    wide.readReport(ANONYMOUS_ACTOR, async (tx) => {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      await readSettings(tx)
      running -= 1
    })
  await Promise.all(Array.from({ length: 8 }, one))
  assert.equal(maxRunning, 1)
})

if (ENGINES.includes('postgres')) {
  const pool = openPostgresPool({ url: process.env.TEST_POSTGRES ?? '', maxConnections: 1 })
  afterFile(() => pool.end())

  const MORE_STATEMENTS = MAX_PREPARED_STATEMENTS + 20

  const countOpen = async (on: pg.Pool | pg.PoolClient): Promise<number> =>
    Number((await on.query('select count(*) from pg_prepared_statements')).rows[0].count)

  /** Runs a statement of its own, as each combination of filters is one. */
  const runStatement = async (on: EngineConnection, n: number) => {
    const sql = `select $1::integer + ${n} as sum`
    assert.deepEqual(await on.rows(sql, [1]), [{ sum: n + 1 }])
  }

  test('a connection keeps its latest prepared statements only', async () => {
    const on = createPostgresConnection(pool, createStatementNames())
    const numbers = Array.from({ length: MORE_STATEMENTS }, (_, n) => n)
    for (const n of numbers) {
      await runStatement(on, n)
      // In use again and again, so it is never the oldest.
      await runStatement(on, 0)
    }
    assert.equal(await countOpen(pool), MAX_PREPARED_STATEMENTS)
    const { rows } = await pool.query(
      `select count(*) filter (where statement like '%+ 0 as sum') as first,
         count(*) filter (where statement like '%+ 1 as sum') as second from pg_prepared_statements`,
    )
    assert.deepEqual(rows, [{ first: 1, second: 0 }])
    // What was closed is prepared again.
    for (const n of numbers) await runStatement(on, n)
    assert.equal(await countOpen(pool), MAX_PREPARED_STATEMENTS)
  })

  test('statements that are sent together are never closed before they are answered', async () => {
    const client = await pool.connect()
    try {
      const on = createPostgresConnection(client, createStatementNames())
      for (const round of [1_000, 2_000, 1_000]) {
        const numbers = Array.from({ length: MORE_STATEMENTS }, (_, n) => round + n)
        await Promise.all([...numbers, ...numbers].map((n) => runStatement(on, n)))
      }
      await runStatement(on, 5_000)
      assert.ok((await countOpen(client)) <= MAX_PREPARED_STATEMENTS)
    } finally {
      client.release()
    }
  })

  test('a failed statement leaves the others prepared', async () => {
    const client = await pool.connect()
    try {
      const on = createPostgresConnection(client, createStatementNames())
      for (let n = 0; n < MORE_STATEMENTS; n += 1) {
        await assert.rejects(
          async () => on.rows(`select $1::integer / 0 + ${n} as failed`, [1]),
          /zero/,
        )
        await assert.rejects(
          async () => on.rows(`select $1::integer + missing${n}`, [1]),
          /does not exist/,
        )
        await runStatement(on, n % 10)
      }
      assert.ok((await countOpen(client)) <= MAX_PREPARED_STATEMENTS)
    } finally {
      client.release()
    }
  })
}

test('names every statement, however many there were before', () => {
  const { nameOf } = createStatementNames()
  const names = new Set<string | undefined>()
  for (let n = 0; n < 3_000; n += 1) names.add(nameOf(`select ${n}`).name)
  assert.equal(names.size, 3_000)
  assert.ok(!names.has(undefined))
  assert.ok(names.has(nameOf('select 0').name), 'a name depends on the statement only')
})
