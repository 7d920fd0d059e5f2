import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Engine } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { disableWebhook } from '#storage/deliveries.ts'
import { command, commandOfAll, query, type Scoped } from '#storage/statement.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { forgetTold, tellWhatIsDue, thinInboxes } from './notifications.ts'

const HOUR = 60 * 60 * 1000

const clock = createTestClock()

const toldOf = query((db, $: Scoped) =>
  db
    .selectFrom('notifications')
    .select(['user_id', 'kind', 'detail', 'task_id', 'mail_at'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)

const settle = commandOfAll((db, $: { id: string; timezone: string }) =>
  db.updateTable('users').set({ timezone: $.timezone }).where('id', '=', $.id),
)

const failSince = command((db, $: Scoped<{ id: string; at: string }>) =>
  db
    .updateTable('webhooks')
    .set({ failing_since: $.at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

async function setUp(engine: Engine) {
  const { storage, server } = await freshDocket(engine, {}, { clock })
  const home = await newHome(storage)
  const at = { ...NOBODY, workspace_id: home.workspace }
  const post = async (url: string, body: object) => {
    const headers = {
      authorization: `Bearer ${home.keys.owner}`,
      'content-type': 'application/json',
    }
    const payload = JSON.stringify(body)
    const reply = await server.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    return reply.json()
  }
  const due = (due_date: string, ...assignee_ids: string[]) =>
    post('/tasks', { project_id: home.project, title: 'Due', due_date, assignee_ids })
  /** What was told of some kind so far: to whom, and what. */
  const told = async (kind: string) => {
    const rows = await storage.read(at, (tx) => tx.all(toldOf, {}))
    return rows.filter((one) => one.kind === kind)
  }
  return { storage, home, at, post, due, told }
}

async function toEnd(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

for (const engine of ENGINES) {
  test(`a task is due by the days of whose it is, and told once (${engine})`, async () => {
    const { storage, home, at, due, told } = await setUp(engine)
    const { owner, member } = home.people
    const here = { owner: 'Pacific/Kiritimati', member: 'Pacific/Niue' }
    await storage.write(at, async (tx) => {
      await tx.run(settle, { id: owner, timezone: here.owner })
      await tx.run(settle, { id: member, timezone: here.member })
    })
    // Between these zones there are 25 hours: a day that has begun for the one has not for the other.
    const day = dayIn(here.owner, timestampOf(clock.now()))
    const task = await due(day, owner, member)
    await due(addDays(day, -5), owner)
    await due(addDays(day, 5), owner)
    const round = tellWhatIsDue(storage)
    await toEnd(round)
    await toEnd(round)
    assert.deepEqual(
      (await told('due')).map(({ user_id, detail, task_id }) => [user_id, detail, task_id]),
      [[owner, 'today', task.id]],
    )
    assert.match((await told('due'))[0]?.mail_at ?? '', /T18:00:00\.000Z$/, 'at eight in +14')
    clock.advance(25 * HOUR)
    await toEnd(round)
    await toEnd(round)
    assert.deepEqual(
      (await told('due')).map(({ user_id, detail }) => [user_id, detail]).toSorted(),
      [
        [member, 'today'],
        [owner, 'overdue'],
        [owner, 'today'],
      ].toSorted(),
    )
  })

  test(`owners and admins hear of a webhook that fails, and that it was disabled (${engine})`, async () => {
    const { storage, home, at, post, told } = await setUp(engine)
    const { id } = await post('/webhooks', { url: 'https://example.com/hook', events: ['*'] })
    const round = tellWhatIsDue(storage)
    await toEnd(round)
    assert.deepEqual(await told('webhook'), [])
    const since = timestampOf(clock.now() - 2 * HOUR)
    await storage.write(at, (tx) => tx.run(failSince, { id, at: since }))
    await toEnd(round)
    await toEnd(round)
    await storage.write(at, (tx) => disableWebhook(tx, { id, reason: 'failures' }))
    const { owner, admin } = home.people
    const found = (await told('webhook')).map(({ user_id, detail }) => `${user_id} ${detail}`)
    assert.deepEqual(
      found.toSorted(),
      [owner, admin].flatMap((one) => [`${one} disabled`, `${one} failing`]).toSorted(),
    )
  })

  test(`notifications are forgotten after 90 days, and beyond a thousand (${engine})`, async () => {
    const { storage, home, at, post, told } = await setUp(engine)
    const { id } = await post('/tasks', { project_id: home.project, title: 'Talked about' })
    const say = () => post(`/tasks/${id}/comments`, { body: `<@${home.people.member}>` })
    for (let n = 0; n < 3; n++) await say()
    const insertMany = command((db, $: Scoped<{ id: string; user_id: string; at: string }>) =>
      db.insertInto('notifications').values({
        ...{ workspace_id: $.workspace_id, id: $.id, user_id: $.user_id, key: $.id },
        ...{ kind: 'due', subject_id: 'x', in_inbox: 1, created_at: $.at },
      }),
    )
    const rows = Array.from({ length: 1_100 }, (_, n) => ({
      id: `ntf_0${String(n).padStart(25, '0')}`,
      ...{ user_id: home.people.member, at: timestampOf(clock.now()) },
    }))
    await storage.write(at, (tx) => tx.each(insertMany, rows))
    await toEnd(thinInboxes(storage))
    assert.equal((await told('due')).length, 997)
    assert.equal((await told('mentioned')).length, 3)
    clock.advance(91 * 24 * HOUR)
    await say()
    await toEnd(forgetTold(storage))
    assert.deepEqual([(await told('due')).length, (await told('mentioned')).length], [0, 1])
  })
}
