import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { query, queryOfAll, type Scoped } from '#storage/statement.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDockets } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { eventsOf } from '#test/support/scenario.ts'
import { forgetEvents } from './events.ts'
import { forgetReplies } from './replies.ts'
import { stopLongTimers } from './timers.ts'
import { emptyTrash } from './trash.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

const rowsOf = {
  tasks: query((db, $: Scoped) =>
    db.selectFrom('tasks').select('title as name').where('workspace_id', '=', $.workspace_id),
  ),
  comments: query((db, $: Scoped) =>
    db.selectFrom('comments').select('id as name').where('workspace_id', '=', $.workspace_id),
  ),
  time_entries: query((db, $: Scoped) =>
    db.selectFrom('time_entries').select('id as name').where('workspace_id', '=', $.workspace_id),
  ),
  replies: query((db, $: Scoped) =>
    db.selectFrom('replies').select('key as name').where('workspace_id', '=', $.workspace_id),
  ),
}

/** Rows of the search index; on SQLite nothing but the chore takes them away. */
const indexed = queryOfAll((db, _: object) =>
  db.selectFrom('task_words').select((is) => is.fn.countAll<number>().as('count')),
)

const clock = createTestClock()
/** On databases of their own: with this clock, upkeep would take away what is of other tests. */
const ownDocket = freshDockets({}, { clock })

async function toEnd(step: () => Promise<boolean>): Promise<number> {
  let steps = 1
  while (await step()) steps += 1
  return steps
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await ownDocket(engine)
    const home = await newHome(storage)
    const send = async (
      method: 'GET' | 'POST' | 'DELETE',
      url: string,
      body?: object,
      key = '',
    ) => {
      const reply = await server.inject({
        method,
        url: `/api/v1${url}`,
        headers: {
          authorization: `Bearer ${home.keys.owner}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body && { payload: body }),
      })
      assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.statusCode} ${reply.body}`)
      return reply.body ? reply.json() : undefined
    }
    const names = (of: keyof typeof rowsOf) => namesOf(storage, home.workspace, of)
    const task = (title: string) => send('POST', '/tasks', { project_id: home.project, title })
    return { storage, home, send, names, task }
  }

  test(`a timer stops when it has run for 24 hours, as of then (${engine})`, async () => {
    const { storage, send, task } = await setUp()
    const { id } = await task('Timed')
    const timer = await send('POST', `/tasks/${id}/time-entries`, { running: true })
    clock.advance(DAY - 60_000)
    await toEnd(stopLongTimers(storage))
    assert.equal((await send('GET', `/time-entries/${timer.id}`)).is_running, true)
    clock.advance(2 * 60_000)
    await toEnd(stopLongTimers(storage))
    const stopped = await send('GET', `/time-entries/${timer.id}`)
    assert.equal(stopped.duration_seconds, 86_400)
    assert.equal(Date.parse(stopped.ended_at) - Date.parse(timer.started_at), DAY)
    const timed = await send('GET', `/tasks/${id}`)
    assert.deepEqual([timed.time_spent_seconds, timed.version], [86_400, 1])
  })

  test(`a kept reply is forgotten after 24 hours (${engine})`, async () => {
    const { storage, home, send, names } = await setUp()
    const body = { project_id: home.project, title: 'Once' }
    await send('POST', '/tasks', body, 'old')
    clock.advance(DAY - HOUR)
    await send('POST', '/tasks', body, 'young')
    await toEnd(forgetReplies(storage))
    assert.deepEqual(await names('replies'), ['old', 'young'])
    clock.advance(2 * HOUR)
    await toEnd(forgetReplies(storage))
    assert.deepEqual(await names('replies'), ['young'])
  })

  test(`the log keeps events for its days, and then without a gap (${engine})`, async () => {
    const { storage, home, task } = await setUp()
    for (let made = 0; made < 3; made++) await task('Old')
    clock.advance(20 * DAY)
    await task('Young')
    clock.advance(11 * DAY)
    await toEnd(forgetEvents(storage, 30))
    const kept = await eventsOf(storage, home.workspace)
    assert.deepEqual(
      kept.map(({ sequence }) => sequence),
      [4],
    )
  })

  test(`the trash is emptied of what has lain there for its days (${engine})`, async () => {
    const { storage, send, names, task } = await setUp()
    const [old, young] = [await task('Old words'), await task('Young')]
    await task('Kept')
    for (let made = 0; made < 2; made++) {
      await send('POST', `/tasks/${old.id}/comments`, { body: 'Gone with it' })
      await send('POST', `/tasks/${old.id}/time-entries`, { duration_seconds: 60 })
    }
    await send('DELETE', `/tasks/${old.id}`)
    clock.advance(20 * DAY)
    await send('DELETE', `/tasks/${young.id}`)
    clock.advance(11 * DAY)
    const words = async () =>
      Number((await storage.read(NOBODY, (tx) => tx.one(indexed, {})))?.count)
    const before = await words()
    await toEnd(emptyTrash(storage, 30))
    // PostgreSQL takes them away by itself.
    if (engine === 'sqlite') assert.equal(await words(), before - 1)
    assert.deepEqual(await names('tasks'), ['Kept', 'Young'])
    assert.deepEqual([await names('comments'), await names('time_entries')], [[], []])
    assert.deepEqual((await send('GET', '/tasks?q=words&deleted=include')).data, [])
  })
}

async function namesOf(storage: Storage, workspace_id: string, of: keyof typeof rowsOf) {
  const rows = await storage.read({ ...NOBODY, workspace_id }, (tx) => tx.all(rowsOf[of], {}))
  return rows.map(({ name }) => name).toSorted()
}
