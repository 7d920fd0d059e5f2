import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createOAuthApplication,
  registerOAuthApplication,
  workspaceOfApplication,
} from '#auth/oauth/applications.ts'
import { limitByEmail, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { COMMAND_LINE_APPLICATION_ID } from '#db/access/oauth-grants.ts'
import { query, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { timestampOf } from '#lib/clock.ts'
import { invite } from '#resources/invitations/operations.ts'
import { createFreshDockets, openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { findGrantRemains, insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { stopLongTimers } from './jobs.ts'
import { emptyTrash, purgeExpiredRows, purgeIdempotencyReplies, purgeOldEvents } from './purges.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

const rowsOf = {
  tasks: query((db) => db.selectFrom('tasks').select('title as name')),
  comments: query((db) => db.selectFrom('comments').select('id as name')),
  time_entries: query((db) => db.selectFrom('time_entries').select('id as name')),
  replies: query((db) => db.selectFrom('replies').select('key as name')),
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
    const docket = await ownDocket(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const client = createTestClient(docket, team)
    const send = (line: string, body?: object, key?: string) =>
      client.send(line.replace(' ', ' /api/v1'), body, 'owner', {
        ...(key && { 'idempotency-key': key }),
      })
    const names = (of: keyof typeof rowsOf) => namesOf(storage, team.workspace, of)
    const task = (title: string) => send('POST /tasks', { project_id: team.project, title })
    return { storage, team, send, names, task }
  }

  test(`stops a timer at 24 hours (${engine})`, async () => {
    const { storage, team, send, task } = await setUp()
    const { id } = await task('Timed')
    const timer = await send(`POST /tasks/${id}/time-entries`, { running: true })
    clock.advance(DAY - 60_000)
    await runToEnd(stopLongTimers(storage))
    assert.equal((await send(`GET /time-entries/${timer.id}`)).is_running, true)
    clock.advance(2 * 60_000)
    await runToEnd(stopLongTimers(storage))
    const stopped = await send(`GET /time-entries/${timer.id}`)
    const [, , event] = await readEvents(storage, team.workspace)
    const { type, actor, data, changes } = JSON.parse(event?.payload ?? '{}')
    assert.deepEqual([type, actor.type, data], ['time_entry.updated', 'system', stopped])
    assert.deepEqual(changes.ended_at, { from: null, to: stopped.ended_at })
    assert.equal(stopped.duration_seconds, 86_400)
    assert.equal(Date.parse(stopped.ended_at) - Date.parse(timer.started_at), DAY)
    const timed = await send(`GET /tasks/${id}`)
    assert.deepEqual([timed.time_spent_seconds, timed.version], [86_400, 1])
  })

  test(`purges idempotency replies after 24 hours (${engine})`, async () => {
    const { storage, team, send, names } = await setUp()
    const body = { project_id: team.project, title: 'Once' }
    await send('POST /tasks', body, 'old')
    clock.advance(DAY - HOUR)
    await send('POST /tasks', body, 'young')
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
      await send(`POST /tasks/${old.id}/comments`, { body: 'Gone with it' })
      await send(`POST /tasks/${old.id}/time-entries`, { duration_seconds: 60 })
    }
    await send(`DELETE /tasks/${old.id}`)
    clock.advance(20 * DAY)
    await send(`DELETE /tasks/${young.id}`)
    clock.advance(11 * DAY)
    const words = async () =>
      Number((await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(indexed, {})))?.count)
    const before = await words()
    await runToEnd(emptyTrash(storage, 30))
    // PostgreSQL deletes them by itself.
    if (engine === 'sqlite') assert.equal(await words(), before - 1)
    assert.deepEqual(await names('tasks'), ['Kept', 'Young'])
    assert.deepEqual([await names('comments'), await names('time_entries')], [[], []])
    assert.deepEqual((await send('GET /tasks?q=words&deleted=include')).data, [])
  })
}

async function namesOf(storage: Storage, workspace_id: string, of: keyof typeof rowsOf) {
  const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) =>
    tx.all(rowsOf[of], {}),
  )
  return rows.map(({ name }) => name).toSorted()
}

const invitations = query((db) => db.selectFrom('invitations').selectAll())

for (const engine of ENGINES) {
  test(`stores an invitation without its token and purges it a month after it expires (${engine})`, async () => {
    const clock = createTestClock()
    // On a database of its own: with this clock, the job would purge the data of other tests.
    const { storage } = await openFreshStore(engine, clock)
    const { workspace: workspace_id, people } = await createTestWorkspace(storage)
    const actor = {
      ...createUserActor(people.owner, workspace_id),
      role: 'owner',
    } as const
    const { token } = await storage.write(actor, (tx) =>
      invite(tx, { email: 'ada@example.com', role: 'member' }),
    )
    const rows = () => storage.read(actor, (tx) => tx.all(invitations, {}))
    assert.equal((await rows()).length, 1)
    assert.ok(token.length === 43 && !JSON.stringify(await rows()).includes(token))

    clock.advance(37 * DAY - 60_000)
    await purgeExpiredRows(storage)()
    assert.equal((await rows()).length, 1)
    clock.advance(60_000)
    await purgeExpiredRows(storage)()
    assert.deepEqual(await rows(), [])
  })
}

const PAST = '2020-01-01T00:00:00.000Z'
const endSession = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ expires_at: $.at }).where('id', '=', $.id),
)
const session = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('sessions').select('id').where('id', '=', $.id),
)
const insertReset = unscopedCommand((db, $: { hash: string; user_id: string; at: string }) =>
  db
    .insertInto('password_resets')
    .values({ hash: $.hash, user_id: $.user_id, created_at: $.at, expires_at: $.at }),
)
const reset = unscopedQuery((db, $: { hash: string }) =>
  db.selectFrom('password_resets').select('hash').where('hash', '=', $.hash),
)
const endAttempts = unscopedCommand((db, $: { subject: string; at: string }) =>
  db.updateTable('attempts').set({ kept_until: $.at }).where('subject', '=', $.subject),
)
const attempts = unscopedQuery((db, $: { subject: string }) =>
  db.selectFrom('attempts').select('subject').where('subject', '=', $.subject),
)

for (const engine of ENGINES) {
  test(`purges expired sessions, password resets and attempts (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const [ended, lasting] = [
      await createTestSession(storage, team, 'owner'),
      await createTestSession(storage, team, 'owner'),
    ]
    const [old, young] = ['old', 'young'].map((one) =>
      limitByEmail(`${one}@${team.workspace}.example`),
    )
    const [hash, subject, kept] = [team.workspace, old?.name ?? '', young?.name ?? '']
    for (const one of [old, young])
      if (one) await withAttemptLimits(storage, [one], async () => false)
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(endSession, { id: ended.id, at: PAST })
      await tx.run(insertReset, { hash, user_id: team.people.owner, at: PAST })
      await tx.run(endAttempts, { subject, at: PAST })
    })
    const step = purgeExpiredRows(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => [
      await tx.one(session, { id: ended.id }),
      await tx.one(session, { id: lasting.id }),
      await tx.one(reset, { hash }),
      await tx.one(attempts, { subject }),
      await tx.one(attempts, { subject: kept }),
    ])
    const is = { id: lasting.id }
    assert.deepEqual(remaining, [undefined, is, undefined, undefined, { subject: kept }])
  })
}

const WANTED = {
  name: 'Self-made',
  homepage_url: null,
  redirect_uris: ['http://127.0.0.1/cb'],
  scopes: ['tasks:read'] as const,
}

/** Ages the rows instead of the clock, because the PostgreSQL database is shared. */
const makeOld = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('applications').set({ created_at: $.at }).where('id', '=', $.id),
)

for (const engine of ENGINES) {
  test(`purges self-registered applications without a grant after 30 days (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const ids = await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      const kind = { type: 'public', distribution: 'public', description: null } as const
      const made = { ...WANTED, ...kind, created_by_id: people.owner }
      const unused = (await registerOAuthApplication(tx, WANTED)).id
      const young = (await registerOAuthApplication(tx, WANTED)).id
      const used = (await registerOAuthApplication(tx, WANTED)).id
      const own = (await createOAuthApplication(tx, made)).id
      const of = { in_workspace: workspace, user_id: people.member }
      await insertTestGrant(tx, { ...of, application_id: used })
      const old = timestampOf(tx.nowMs - 30 * DAY)
      for (const id of [unused, used, own, COMMAND_LINE_APPLICATION_ID])
        await tx.run(makeOld, { id, at: old })
      await tx.run(makeOld, { id: young, at: timestampOf(tx.nowMs - 30 * DAY + 60_000) })
      return [unused, young, used, own, COMMAND_LINE_APPLICATION_ID]
    })
    const step = purgeExpiredRows(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const applications = []
      for (const id of ids) applications.push(await tx.one(workspaceOfApplication, { id }))
      return applications.map((one) => one?.workspace_id)
    })
    assert.deepEqual(remaining, [undefined, null, null, workspace, null])
  })

  test(`purges expired grants and tokens (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people } = await createTestWorkspace(storage)
    const of = {
      in_workspace: workspace,
      user_id: people.member,
      application_id: COMMAND_LINE_APPLICATION_ID,
    }
    const [ended, begun, lasting, idle] = await storage.write(ANONYMOUS_ACTOR, async (tx) => [
      await insertTestGrant(tx, { ...of, expires_at: PAST }),
      await insertTestGrant(tx, { ...of, expires_at: PAST, hasToken: false }),
      await insertTestGrant(tx, of),
      // Its tokens have expired, and new ones may be on their way.
      await insertTestGrant(tx, { ...of, token_expires_at: PAST }),
    ])
    const step = purgeExpiredRows(storage)
    while (await step());
    const remaining = await storage.read(ANONYMOUS_ACTOR, async (tx) => [
      await findGrantRemains(tx, ended),
      await findGrantRemains(tx, begun),
      await findGrantRemains(tx, lasting),
      await findGrantRemains(tx, idle),
    ])
    const [gone, kept] = [
      [false, false],
      [true, true],
    ]
    assert.deepEqual(remaining, [gone, gone, kept, [true, false]])
  })
}
