import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { NOBODY } from '#core/actor.ts'
import { invalidParameter, Refusal } from '#core/refusal.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import { openPostgres } from '#storage/postgres.ts'
import { compiled, queryOfAll } from '#storage/statement.ts'
import { closing, emptyDatabase, notes, put, surroundings } from '../support/store.ts'

let url: string
let admin: pg.Client
let storage: Storage

before(async () => {
  ;({ url, admin } = await emptyDatabase())
  // One connection: what a long read leaves behind on it, the next reader finds.
  storage = closing(await openPostgres({ url, pool: 1, ...surroundings }))
})

const inForce = queryOfAll((db) =>
  compiled<{ workers: string; memory: string; read_only: string }>(
    db,
    sql`select current_setting('max_parallel_workers_per_gather') as workers,
      current_setting('work_mem') as memory, current_setting('transaction_read_only') as read_only`,
  ),
)

const asked = (tx: ReadTx) => tx.one(inForce, {})

/** What the connections of the store do that are in a transaction. */
const underWay = async () => {
  const text = `select count(*)::int as count from pg_stat_activity
    where application_name = 'docket' and datname = current_database() and state like '%transaction%'`
  return (await admin.query(text)).rows[0].count
}

test('a long read has one processor and more memory, and leaves the connection as it was', async () => {
  const usual = await storage.read(NOBODY, asked)
  assert.deepEqual(await storage.readLong(NOBODY, asked), {
    ...{ workers: '0', memory: '32MB', read_only: 'on' },
  })
  assert.notEqual(usual?.workers, '0')
  assert.deepEqual(await storage.read(NOBODY, asked), usual)
})

test('a long read is of one state, however many statements it has', async () => {
  await put(storage, 'before')
  const seen = await storage.readLong(NOBODY, async (tx) => {
    const first = await tx.all(notes, {})
    await admin.query(`insert into installation (name, value) values ('meanwhile', '')`)
    return [first, await tx.all(notes, {})]
  })
  assert.deepEqual(seen[1], seen[0])
  assert.ok((await storage.read(NOBODY, (tx) => tx.all(notes, {}))).length > 1)
})

test('a refusal in a long read ends its transaction, a lost connection is 503', async () => {
  const refused = storage.readLong(NOBODY, async () => {
    throw invalidParameter('after', 'Too far.')
  })
  await assert.rejects(refused, (error) => error instanceof Refusal && error.status === 400)
  assert.equal(await underWay(), 0)
  const lost = storage.readLong(NOBODY, async (tx) => {
    await asked(tx)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'docket' and datname = current_database()`,
    )
    return asked(tx)
  })
  await assert.rejects(lost, (error) => error instanceof Refusal && error.status === 503)
  assert.equal((await storage.readLong(NOBODY, asked))?.workers, '0')
})

test('long reads follow one another, whatever connections there are', async () => {
  const wide = closing(await openPostgres({ url, ...surroundings }))
  let [now, most] = [0, 0]
  const one = () =>
    wide.readLong(NOBODY, async (tx) => {
      now += 1
      most = Math.max(most, now)
      await asked(tx)
      now -= 1
    })
  await Promise.all(Array.from({ length: 8 }, one))
  assert.equal(most, 1)
})
