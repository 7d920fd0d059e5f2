import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '#core/refusal.ts'
import { fewAtOnce } from '#storage/few-at-once.ts'
import { sqliteThread } from '#storage/sqlite-thread.ts'
import { until } from '../support/delivering.ts'
import { emptyDirInMemory } from '../support/dir.ts'
import { atEnd } from '../support/store.ts'

/** Counts to so many, row by row: seconds of work for tens of millions. */
const COUNT =
  'with recursive up (n) as (select 1 union all select n + 1 from up where n < ?) select max(n) as n from up'

function opened(limitMs?: number) {
  const path = `${emptyDirInMemory()}/thread.db`
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = wal; create table t (n integer)')
  const thread = sqliteThread(path, limitMs)
  atEnd(async () => {
    await thread.close()
    db.close()
  })
  return { db, thread, ask: (sql: string, ...values: unknown[]) => askOf(thread, sql, values) }
}

const askOf = (thread: ReturnType<typeof sqliteThread>, sql: string, values: unknown[]) =>
  thread.work(async (on) => on.rows(sql, values))

const isUnavailable = (error: unknown) => error instanceof Refusal && error.status === 503

test('a long statement of the thread lets everything else go on, and sees what is committed', async () => {
  const { db, ask } = opened()
  await ask('select 1')
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 1)
  const long = ask(COUNT, 3_000_000)
  assert.deepEqual(await long, [{ n: 3_000_000 }])
  const beside = turns
  turns = 0
  db.prepare(COUNT).get(3_000_000)
  clearInterval(turning)
  assert.ok(beside > 10, `${beside} turns beside it`)
  assert.equal(turns, 0, 'the control holds the loop')
  for (let n = 1; n <= 20; n += 1) {
    db.prepare('insert into t values (?)').run(n)
    assert.deepEqual(await ask('select max(n) as n from t'), [{ n }])
  }
})

test('what takes too long is refused, and so is what waits behind it for as long', async () => {
  const { ask } = opened(50)
  await assert.rejects(ask(COUNT, 5_000_000), isUnavailable)
  // When that has ended, the next is read.
  let read: unknown
  await until('the thread', async () => {
    read = await ask('select 1 as n').catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
    return read
  })
  assert.deepEqual(read, [{ n: 1 }])
})

test('a wrong statement is our fault and nothing to be asked again; the thread goes on', async () => {
  const { ask } = opened()
  await assert.rejects(ask('select nonsense'), (error) => !isUnavailable(error))
  await assert.rejects(ask('insert into t values (1)'), Error)
  assert.deepEqual(await ask('select count(*) as n from t'), [{ n: 0 }])
})

test('few are at work at once, some wait in turn, and more are refused', async () => {
  const inTurn = fewAtOnce({ running: 2, waiting: 3 })
  const ends: (() => void)[] = []
  const order: number[] = []
  let most = 0
  let running = 0
  const one = (n: number) =>
    inTurn(async () => {
      order.push(n)
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((end) => ends.push(end))
      running -= 1
      if (n === 1) throw new Error('one')
      return n
    })
  const all = [1, 2, 3, 4, 5].map((n) => one(n))
  await assert.rejects(one(6), isUnavailable)
  const settled = Promise.allSettled(all)
  for (let n = 0; n < 5; n += 1) {
    ends.shift()?.()
    await pause(1)
  }
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', ...Array(4).fill('fulfilled')],
  )
  assert.deepEqual(order, [1, 2, 3, 4, 5])
  assert.equal(most, 2)
  assert.equal(await inTurn(async () => 7), 7)
})
