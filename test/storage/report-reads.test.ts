import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, invalidParameter } from '#core/api-error.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { rawStatement, unscopedQuery } from '#db/core/statement.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import {
  allNotes,
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'

let url: string
let admin: pg.Client
let storage: Storage

before(async () => {
  ;({ url, admin } = await createEmptyDatabase())
  // A single connection, so that the next read sees whatever a report leaves behind on it.
  storage = closeAfterFile(await openPostgres({ url, maxConnections: 1, ...TEST_STORE_OPTIONS }))
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
  const usual = await storage.read(ANONYMOUS_ACTOR, readSettings)
  assert.deepEqual(await storage.readReport(ANONYMOUS_ACTOR, readSettings), {
    workers: '0',
    memory: '32MB',
    read_only: 'on',
  })
  assert.notEqual(usual?.workers, '0')
  assert.deepEqual(await storage.read(ANONYMOUS_ACTOR, readSettings), usual)
})

test('all statements of a report read the same snapshot', async () => {
  await writeNote(storage, 'before')
  const seen = await storage.readReport(ANONYMOUS_ACTOR, async (tx) => {
    const first = await tx.all(allNotes, {})
    await admin.query(`insert into installation (name, value) values ('meanwhile', '')`)
    return [first, await tx.all(allNotes, {})]
  })
  assert.deepEqual(seen[1], seen[0])
  assert.ok((await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(allNotes, {}))).length > 1)
})

test('an error in a report ends its transaction, and a lost connection is a 503', async () => {
  const refused = storage.readReport(ANONYMOUS_ACTOR, async () => {
    throw invalidParameter('after', 'Too far.')
  })
  await assert.rejects(refused, (error) => error instanceof ApiError && error.status === 400)
  assert.equal(await countOpenTransactions(), 0)
  const lost = storage.readReport(ANONYMOUS_ACTOR, async (tx) => {
    await readSettings(tx)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'docket' and datname = current_database()`,
    )
    return readSettings(tx)
  })
  await assert.rejects(lost, (error) => error instanceof ApiError && error.status === 503)
  assert.equal((await storage.readReport(ANONYMOUS_ACTOR, readSettings))?.workers, '0')
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
