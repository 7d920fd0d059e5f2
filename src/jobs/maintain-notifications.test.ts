import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { command, query, type Scoped, unscopedCommand } from '#db/core/statement.ts'
import { disableWebhook } from '#db/deliveries/delivery-queue.ts'
import { openFiles } from '#files/open.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createInstallationJobs } from './jobs.ts'
import { createDueNotifications, trimInboxes } from './notification-emails.ts'
import { purgeExpiredRows } from './purges.ts'

const HOUR = 60 * 60 * 1000

const clock = createTestClock()

const notificationsOf = query((db) =>
  db
    .selectFrom('notifications')
    .select(['user_id', 'kind', 'detail', 'task_id', 'mail_at', 'in_inbox'])
    .orderBy('id'),
)

const setTimezone = unscopedCommand((db, $: { id: string; timezone: string }) =>
  db.updateTable('users').set({ timezone: $.timezone }).where('id', '=', $.id),
)

const failSince = command((db, $: Scoped<{ id: string; at: string }>) =>
  db.updateTable('webhooks').set({ failing_since: $.at }).where('id', '=', $.id),
)

const insertAssigned = command((db, $: Scoped<{ id: string; user_id: string; at: string }>) =>
  db.insertInto('notifications').values({
    workspace_id: $.workspace_id,
    id: $.id,
    user_id: $.user_id,
    key: $.id,
    kind: 'assigned',
    subject_id: 'x',
    in_inbox: 1,
    created_at: $.at,
  }),
)

/** Inserts more notifications than are kept: by default the newest, in order of their ids. */
async function fillInbox(storage: Storage, at: Actor, user_id: string, prefix = 'ntf_z') {
  const rows = Array.from({ length: 1_100 }, (_, n) => ({
    id: `${prefix}${String(n).padStart(25, '0')}`,
    user_id,
    at: timestampOf(storage.clock.now()),
  }))
  await storage.write(at, (tx) => tx.runEach(insertAssigned, rows))
}

async function setUp(engine: DatabaseEngine) {
  const docket = await openFreshDocket(engine, {}, { clock })
  const { storage, config } = docket
  const team = await createTestWorkspace(storage)
  const at = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const { send } = createTestClient(docket, team)
  const due = (due_date: string, ...assignee_ids: string[]) =>
    send('POST /api/v1/tasks', { project_id: team.project, title: 'Due', due_date, assignee_ids })
  /** The notifications of some kind so far. */
  const notificationsOfKind = async (kind: string) => {
    const rows = await storage.read(at, (tx) => tx.all(notificationsOf, {}))
    return rows.filter((one) => one.kind === kind)
  }
  return { storage, config, team, at, send, due, notificationsOfKind }
}

async function runToEnd(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

for (const engine of ENGINES) {
  test(`notifies once when a task is due in the assignee's time zone (${engine})`, async () => {
    const { storage, team, at, due, notificationsOfKind } = await setUp(engine)
    const { owner, member } = team.people
    const zones = { owner: 'Pacific/Kiritimati', member: 'Pacific/Niue' }
    await storage.write(at, async (tx) => {
      await tx.run(setTimezone, { id: owner, timezone: zones.owner })
      await tx.run(setTimezone, { id: member, timezone: zones.member })
    })
    // These zones are 25 hours apart: a day that has begun in one has not begun in the other.
    const day = dayIn(zones.owner, timestampOf(clock.now()))
    const task = await due(day, owner, member)
    await due(addDays(day, -5), owner)
    await due(addDays(day, 5), owner)
    const job = createDueNotifications(storage)
    await runToEnd(job)
    await runToEnd(job)
    assert.deepEqual(
      (await notificationsOfKind('due')).map(({ user_id, detail, task_id }) => [
        user_id,
        detail,
        task_id,
      ]),
      [[owner, 'today', task.id]],
    )
    assert.match(
      (await notificationsOfKind('due'))[0]?.mail_at ?? '',
      /T18:00:00\.000Z$/,
      'at eight in +14',
    )
    clock.advance(25 * HOUR)
    await runToEnd(job)
    await runToEnd(job)
    assert.deepEqual(
      (await notificationsOfKind('due')).map(({ user_id, detail }) => [user_id, detail]).toSorted(),
      [
        [member, 'today'],
        [owner, 'overdue'],
        [owner, 'today'],
      ].toSorted(),
    )
  })

  test(`a round in which nothing is due visits no workspace, and rounds begin each 30 seconds (${engine})`, async () => {
    const { storage, config, team, due, notificationsOfKind } = await setUp(engine)
    let [reads, writes] = [0, 0]
    const counting: Storage = {
      ...storage,
      read(actor, work) {
        reads += 1
        return storage.read(actor, work)
      },
      write(actor, work) {
        writes += 1
        return storage.write(actor, work)
      },
    }
    const jobs = createInstallationJobs({
      storage: counting,
      files: openFiles(config),
      hasMail: false,
      isCopy: async () => false,
    })
    const job = jobs.find(({ name }) => name === 'due tasks')
    assert.ok(job && job.intervalMs <= 30_000)
    const runRound = async () => {
      reads = 0
      writes = 0
      await runToEnd(job.run)
      return { reads, writes }
    }
    const today = dayIn('UTC', timestampOf(clock.now()))
    await createTestWorkspace(storage)
    await due(addDays(today, 3), team.people.member)
    assert.deepEqual(await runRound(), { reads: 1, writes: 0 })
    await due(today, team.people.member)
    assert.deepEqual(await runRound(), { reads: 2, writes: 1 })
    assert.equal((await notificationsOfKind('due')).length, 1)
    assert.deepEqual(await runRound(), { reads: 1, writes: 0 })
  })

  test(`one round notifies of all tasks that are due at once (${engine})`, async () => {
    const { storage, team, due, notificationsOfKind } = await setUp(engine)
    const today = dayIn('UTC', timestampOf(clock.now()))
    for (let n = 0; n < 25; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => due(today, team.people.member)))
    }
    await runToEnd(createDueNotifications(storage))
    const notified = (await notificationsOfKind('due')).map(({ task_id }) => task_id)
    assert.deepEqual([notified.length, new Set(notified).size], [250, 250])
  })

  test(`a full inbox repeats no notification (${engine})`, async () => {
    const { storage, team, at, send, due, notificationsOfKind } = await setUp(engine)
    const { owner } = team.people
    const task = await due(dayIn('UTC', timestampOf(clock.now())), owner)
    const { id } = await send('POST /api/v1/webhooks', {
      url: 'https://example.com/hook',
      events: ['*'],
    })
    const since = timestampOf(clock.now() - 2 * HOUR)
    await storage.write(at, (tx) => tx.run(failSince, { id, at: since }))
    const notificationsOfOwner = async (kind: string) =>
      (await notificationsOfKind(kind)).filter(({ user_id }) => user_id === owner)
    const job = createDueNotifications(storage)
    await runToEnd(job)
    clock.advance(60_000)
    await fillInbox(storage, at, owner)
    await runToEnd(trimInboxes(storage))
    await runToEnd(job)
    for (const kind of ['due', 'webhook']) {
      const kept = await notificationsOfOwner(kind)
      assert.deepEqual(
        kept.map(({ in_inbox }) => in_inbox),
        [0],
        `${kind}: known, and gone from the inbox`,
      )
    }
    assert.equal((await notificationsOfOwner('due'))[0]?.task_id, task.id)
    // Once the task has been overdue for days, nobody is notified of it any more.
    clock.advance(5 * 24 * HOUR)
    await runToEnd(trimInboxes(storage))
    await runToEnd(job)
    assert.deepEqual(await notificationsOfOwner('due'), [])
  })

  test(`notifies owners and admins of a failing and of a disabled webhook (${engine})`, async () => {
    const { storage, team, at, send, notificationsOfKind } = await setUp(engine)
    const { id } = await send('POST /api/v1/webhooks', {
      url: 'https://example.com/hook',
      events: ['*'],
    })
    const job = createDueNotifications(storage)
    await runToEnd(job)
    assert.deepEqual(await notificationsOfKind('webhook'), [])
    const since = timestampOf(clock.now() - 2 * HOUR)
    await storage.write(at, (tx) => tx.run(failSince, { id, at: since }))
    await runToEnd(job)
    await runToEnd(job)
    await storage.write(at, (tx) => disableWebhook(tx, { id, reason: 'failures' }))
    const { owner, admin } = team.people
    const details = (await notificationsOfKind('webhook')).map(
      ({ user_id, detail }) => `${user_id} ${detail}`,
    )
    assert.deepEqual(
      details.toSorted(),
      [owner, admin].flatMap((one) => [`${one} disabled`, `${one} failing`]).toSorted(),
    )
  })

  test(`purges notifications after 90 days and beyond a thousand (${engine})`, async () => {
    const { storage, team, at, send, notificationsOfKind } = await setUp(engine)
    const { id } = await send('POST /api/v1/tasks', {
      project_id: team.project,
      title: 'Talked about',
    })
    const say = () =>
      send(`POST /api/v1/tasks/${id}/comments`, { body: `<@${team.people.member}>` })
    for (let n = 0; n < 3; n++) await say()
    await fillInbox(storage, at, team.people.member, 'ntf_0')
    await runToEnd(trimInboxes(storage))
    assert.equal((await notificationsOfKind('assigned')).length, 997)
    assert.equal((await notificationsOfKind('mentioned')).length, 3)
    clock.advance(91 * 24 * HOUR)
    await say()
    await runToEnd(purgeExpiredRows(storage))
    assert.deepEqual(
      [
        (await notificationsOfKind('assigned')).length,
        (await notificationsOfKind('mentioned')).length,
      ],
      [0, 1],
    )
  })
}
