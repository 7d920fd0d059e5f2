import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { query, type Scoped, unscopedQuery } from '#db/core/statement.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { emptyTrash, purgeIdempotencyReplies, purgeOldEvents } from './purges.ts'
import { stopLongTimers } from './stop-long-timers.ts'

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

/** Rows of the search index; on SQLite only the job deletes them. */
const indexed = unscopedQuery((db, _: object) =>
  db.selectFrom('task_words').select((is) => is.fn.countAll<number>().as('count')),
)

const clock = createTestClock()
/** On databases of their own: with this clock, jobs would purge the data of other tests. */
const ownDocket = createFreshDockets({}, { clock })

async function runToEnd(step: () => Promise<boolean>): Promise<number> {
  let steps = 1
  while (await step()) steps += 1
  return steps
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await ownDocket(engine)
    const team = await createTestWorkspace(storage)
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
          authorization: `Bearer ${team.keys.owner}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body && { payload: body }),
      })
      assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.statusCode} ${reply.body}`)
      return reply.body ? reply.json() : undefined
    }
    const names = (of: keyof typeof rowsOf) => namesOf(storage, team.workspace, of)
    const task = (title: string) => send('POST', '/tasks', { project_id: team.project, title })
    return { storage, team, send, names, task }
  }

  test(`stops a timer at 24 hours (${engine})`, async () => {
    const { storage, team, send, task } = await setUp()
    const { id } = await task('Timed')
    const timer = await send('POST', `/tasks/${id}/time-entries`, { running: true })
    clock.advance(DAY - 60_000)
    await runToEnd(stopLongTimers(storage))
    assert.equal((await send('GET', `/time-entries/${timer.id}`)).is_running, true)
    clock.advance(2 * 60_000)
    await runToEnd(stopLongTimers(storage))
    const stopped = await send('GET', `/time-entries/${timer.id}`)
    const [, , event] = await readEvents(storage, team.workspace)
    const { type, actor, data, changes } = JSON.parse(event?.payload ?? '{}')
    assert.deepEqual([type, actor.type, data], ['time_entry.updated', 'system', stopped])
    assert.deepEqual(changes.ended_at, { from: null, to: stopped.ended_at })
    assert.equal(stopped.duration_seconds, 86_400)
    assert.equal(Date.parse(stopped.ended_at) - Date.parse(timer.started_at), DAY)
    const timed = await send('GET', `/tasks/${id}`)
    assert.deepEqual([timed.time_spent_seconds, timed.version], [86_400, 1])
  })

  test(`purges idempotency replies after 24 hours (${engine})`, async () => {
    const { storage, team, send, names } = await setUp()
    const body = { project_id: team.project, title: 'Once' }
    await send('POST', '/tasks', body, 'old')
    clock.advance(DAY - HOUR)
    await send('POST', '/tasks', body, 'young')
    await runToEnd(purgeIdempotencyReplies(storage))
    assert.deepEqual(await names('replies'), ['old', 'young'])
    clock.advance(2 * HOUR)
    await runToEnd(purgeIdempotencyReplies(storage))
    assert.deepEqual(await names('replies'), ['young'])
  })

  test(`purges events after their retention without leaving gaps (${engine})`, async () => {
    const { storage, team, task } = await setUp()
    for (let n = 0; n < 3; n++) await task('Old')
    clock.advance(20 * DAY)
    await task('Young')
    clock.advance(11 * DAY)
    await runToEnd(purgeOldEvents(storage, 30))
    const events = await readEvents(storage, team.workspace)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [4],
    )
  })

  test(`empties the trash of tasks deleted longer ago than its retention (${engine})`, async () => {
    const { storage, send, names, task } = await setUp()
    const [old, young] = [await task('Old words'), await task('Young')]
    await task('Kept')
    for (let n = 0; n < 2; n++) {
      await send('POST', `/tasks/${old.id}/comments`, { body: 'Gone with it' })
      await send('POST', `/tasks/${old.id}/time-entries`, { duration_seconds: 60 })
    }
    await send('DELETE', `/tasks/${old.id}`)
    clock.advance(20 * DAY)
    await send('DELETE', `/tasks/${young.id}`)
    clock.advance(11 * DAY)
    const words = async () =>
      Number((await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(indexed, {})))?.count)
    const before = await words()
    await runToEnd(emptyTrash(storage, 30))
    // PostgreSQL deletes them by itself.
    if (engine === 'sqlite') assert.equal(await words(), before - 1)
    assert.deepEqual(await names('tasks'), ['Kept', 'Young'])
    assert.deepEqual([await names('comments'), await names('time_entries')], [[], []])
    assert.deepEqual((await send('GET', '/tasks?q=words&deleted=include')).data, [])
  })
}

async function namesOf(storage: Storage, workspace_id: string, of: keyof typeof rowsOf) {
  const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
    tx.all(rowsOf[of], {}),
  )
  return rows.map(({ name }) => name).toSorted()
}
