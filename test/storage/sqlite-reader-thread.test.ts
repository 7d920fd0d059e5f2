import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '#core/api-error.ts'
import { createSemaphore } from '#db/core/semaphore.ts'
import { createReaderThread } from '#db/sqlite/reader-thread.ts'
import { atEnd } from '../support/engines/test-database.ts'
import { createMemoryTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Counts row by row; tens of millions take seconds. */
const COUNT_SQL =
  'with recursive up (n) as (select 1 union all select n + 1 from up where n < ?) select max(n) as n from up'

function opened(limitMs?: number) {
  const path = `${createMemoryTempDir()}/thread.db`
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = wal; create table t (n integer)')
  const thread = createReaderThread(path, limitMs)
  atEnd(async () => {
    await thread.close()
    db.close()
  })
  return {
    db,
    thread,
    ask: (sql: string, ...values: unknown[]) => runInThread(thread, sql, values),
  }
}

const runInThread = (
  thread: ReturnType<typeof createReaderThread>,
  sql: string,
  values: unknown[],
) => thread.work('', async (on) => on.rows(sql, values))

const isUnavailable = (error: unknown) => error instanceof ApiError && error.status === 503

test('a long statement in the thread does not block the event loop, and sees commits', async () => {
  const { db, ask } = opened(60_000)
  await ask('select 1')
  let turns = 0
  const interval = setInterval(() => {
    turns += 1
  }, 1)
  const long = ask(COUNT_SQL, 1_000_000)
  assert.deepEqual(await long, [{ n: 1_000_000 }])
  clearInterval(interval)
  assert.ok(turns > 0, `${turns} turns beside it`)
  for (let n = 1; n <= 20; n += 1) {
    db.prepare('insert into t values (?)').run(n)
    assert.deepEqual(await ask('select max(n) as n from t'), [{ n }])
  }
})

test('a statement of a new thread outlives the end of the one before', async () => {
  const { thread, ask } = opened()
  await ask('select 1')
  const closed = thread.close()
  const answer = ask(COUNT_SQL, 1_000_000)
  await closed
  assert.deepEqual(await answer, [{ n: 1_000_000 }])
})

test('refuses a statement that takes too long, and those that wait for it too long', async () => {
  const { ask } = opened(50)
  // With the thread there, the time counts from the question.
  await ask('select 1 as n').catch(() => {})
  await assert.rejects(ask(COUNT_SQL, 5_000_000), isUnavailable)
  // After its end the next statement runs.
  let read: unknown
  await waitUntil('the thread', async () => {
    read = await ask('select 1 as n').catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
    return read
  })
  assert.deepEqual(read, [{ n: 1 }])
})

test('does not count the start of the thread towards the time of the first statement', async (t) => {
  const { ask } = opened()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const first = ask('select 1 as n')
  t.mock.timers.tick(10_000)
  assert.deepEqual(await first, [{ n: 1 }])
})

test('an invalid statement is an internal error, not a 503, and the thread continues', async () => {
  const { ask } = opened()
  await assert.rejects(ask('select nonsense'), (error) => !isUnavailable(error))
  await assert.rejects(ask('insert into t values (1)'), Error)
  assert.deepEqual(await ask('select count(*) as n from t'), [{ n: 0 }])
})

/** A semaphore with the tasks that it has started, in order; each runs until it is ended. */
function startTasks(limits: Parameters<typeof createSemaphore>[0]) {
  const inTurn = createSemaphore(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string) =>
    inTurn(name.charAt(0), async () => {
      started.push(name)
      await new Promise<void>((end) => ends.set(name, end))
      ends.delete(name)
      if (name === 'a1') throw new Error('one')
    })
  const endAll = async () => {
    while (ends.size > 0) {
      for (const end of ends.values()) end()
      await pause(1)
    }
  }
  return { inTurn, started, ends, run, endAll }
}

test('limits running tasks, and starts the others in turn over workspaces', async () => {
  const { inTurn, started, ends, run, endAll } = startTasks({
    running: 2,
    waitingOfWorkspace: 3,
    waiting: 5,
  })
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map(run)
  assert.deepEqual([started, ends.size], [['a1', 'a2'], 2])
  const settled = Promise.allSettled(all)
  await endAll()
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', ...Array(6).fill('fulfilled')],
  )
  assert.deepEqual(started, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5'])
  assert.equal(await inTurn('a', async () => 7), 7)
})

test('refuses the workspace with the most waiting tasks, never one with none', async () => {
  const { started, run, endAll } = startTasks({ running: 1, waitingOfWorkspace: 2, waiting: 3 })
  const results = ['a0', 'a2', 'a3', 'a4', 'b1', 'c1', 'd1'].map((name) =>
    run(name).then(
      () => 'done',
      (error) => (isUnavailable(error) ? 'refused' : error),
    ),
  )
  await endAll()
  assert.deepEqual(await Promise.all(results), [
    'done',
    'done',
    // The newest of the longest queue gives way to another workspace.
    'refused',
    'refused',
    'done',
    'done',
    // All others wait with one, too.
    'refused',
  ])
  assert.deepEqual(started, ['a0', 'a2', 'b1', 'c1'])
})
