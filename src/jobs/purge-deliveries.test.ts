import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, insertRow, query, type Scoped } from '#db/core/statement.ts'
import { DELIVERY_QUEUES, queueDeliveries } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow } from '#db/schema/tables.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { purgeDeletedWebhookLogs, purgeOldDeliveries, purgeOldEvents } from './purges.ts'

const DAY = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** On databases of their own: with this clock, jobs would purge the data of other tests. */
const ownDocket = createFreshDockets({}, { clock })

async function runToEnd(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await ownDocket(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const { workspace, project } = team
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    const { request: send } = createTestClient(docket, team)
    const { body: hook } = await send('POST /api/v1/webhooks', {
      url: 'https://example.com',
      events: ['*'],
    })
    const about = { webhook_id: String(hook.id), activation: 0 }
    /** As the dispatcher does: an event is unsent until it is fanned out. */
    const fanOutAll = () => storage.write(actor, (tx) => tx.run(fanOut, {}))
    return {
      hook: String(hook.id),
      send,
      fanOutAll,
      /** Emits an event and queues deliveries of it; returns their ids. */
      async deliver(count: number, status: 'pending' | 'succeeded'): Promise<string[]> {
        await send('POST /api/v1/tasks', { project_id: project, title: 'Told of' })
        await fanOutAll()
        const event = (await readEvents(storage, workspace)).at(-1)
        assert.ok(event)
        const { sequence, type: event_type } = event
        const { id: event_id } = JSON.parse(event.payload)
        const one = {
          ...about,
          event_id,
          event_type,
          sequence,
          queue: DELIVERY_QUEUES.live,
          lane: null,
        }
        return storage.write(actor, async (tx) => {
          const ids = await queueDeliveries(tx, Array(count).fill(one))
          for (const id of ids) await tx.run(insertAttempt, { id, now: tx.now })
          await tx.run(setAttempted, { ids, status })
          return ids
        })
      },
      happen: () => send('POST /api/v1/tasks', { project_id: project, title: 'Not told of' }),
      replay: (next_sequence: number) =>
        storage.write(actor, (tx) =>
          tx.run(insertReplay, { ...about, id: 'opr_1', next_sequence, to_sequence: 4 }),
        ),
      endReplay: () => storage.write(actor, (tx) => tx.run(endReplays, {})),
      forget: (id: string) =>
        storage.write(actor, (tx) => tx.run(setAttempted, { ids: [id], status: 'succeeded' })),
      oldEvents: () => runToEnd(purgeOldEvents(storage, 10)),
      oldDeliveries: () => runToEnd(purgeOldDeliveries(storage)),
      oldLogs: () => runToEnd(purgeDeletedWebhookLogs(storage)),
      count: async () => {
        const [rows] = await storage.read(actor, (tx) => tx.all(counted, {}))
        return rows
      },
      /** Sequences of events whose payload is kept, and of events in the log. */
      events: async () => {
        const kept = (await readEvents(storage, workspace)).map(({ sequence }) => sequence)
        const { body } = await send('GET /api/v1/events')
        return [kept, body.data.map((event: { sequence: number }) => event.sequence)]
      },
    }
  }

  test(`purges deliveries after 30 days unless they are pending (${engine})`, async () => {
    const { deliver, oldDeliveries, count, send, forget } = await setUp()
    const [waiting = ''] = await deliver(1, 'pending')
    const [old = ''] = await deliver(450, 'succeeded')
    clock.advance(29 * DAY)
    await oldDeliveries()
    assert.deepEqual(await count(), { deliveries: 451, attempts: 451, removed: 0 })
    const [young = ''] = await deliver(1, 'succeeded')
    clock.advance(2 * DAY)
    await oldDeliveries()
    assert.deepEqual(await count(), { deliveries: 2, attempts: 2, removed: 0 })
    const statusOf = async (id: string) => (await send(`GET /api/v1/deliveries/${id}`)).status
    assert.deepEqual(await Promise.all([waiting, old, young].map(statusOf)), [200, 404, 200])
    await forget(waiting)
    await oldDeliveries()
    assert.deepEqual(await Promise.all([waiting, young].map(statusOf)), [404, 200])
  })

  test(`reads the next workspace from its start after an error (${engine})`, async () => {
    const { storage } = await ownDocket(engine)
    const [failing, next] = [await setUp(), await setUp()]
    const [old = ''] = await next.deliver(1, 'succeeded')
    await failing.deliver(201, 'succeeded')
    clock.advance(31 * DAY)
    let writes = 0
    const purge = purgeOldDeliveries({
      ...storage,
      async write(...args) {
        writes += 1
        if (writes === 2) throw new Error('The second step fails')
        return storage.write(...args)
      },
    })
    await assert.rejects(runToEnd(purge), /The second step fails/)
    await runToEnd(purge)
    assert.equal((await next.send(`GET /api/v1/deliveries/${old}`)).status, 404)
  })

  test(`keeps the payload of an old event only for its deliveries (${engine})`, async () => {
    const { deliver, happen, fanOutAll, events, oldEvents, oldDeliveries, forget, send } =
      await setUp()
    await happen()
    const [first = ''] = await deliver(2, 'succeeded')
    const [waiting = ''] = await deliver(1, 'pending')
    await happen()
    await fanOutAll()
    clock.advance(9 * DAY)
    await oldEvents()
    assert.deepEqual(await events(), [
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ])
    await happen()
    await fanOutAll()
    clock.advance(2 * DAY)
    await oldEvents()
    assert.deepEqual(await events(), [[2, 3, 5], [5]], 'those that were delivered')
    assert.equal((await send('GET /api/v1/events?after_sequence=1')).status, 410)
    assert.equal((await send(`POST /api/v1/deliveries/${first}/redeliver`)).status, 202)
    clock.advance(20 * DAY)
    await oldDeliveries()
    assert.deepEqual((await events())[0], [2, 3, 5], 'for what is on its way')
    const { body } = await send(`GET /api/v1/deliveries/${waiting}`)
    assert.match(body.request.body, /Told of/)
    await forget(waiting)
    await oldDeliveries()
    assert.deepEqual((await events())[0], [2, 5])
  })

  test(`keeps events until every delivery has ended (${engine})`, async () => {
    const { happen, fanOutAll, replay, endReplay, events, oldEvents } = await setUp()
    await happen()
    await fanOutAll()
    for (let count = 0; count < 3; count++) await happen()
    clock.advance(11 * DAY)
    await oldEvents()
    assert.deepEqual(await events(), [
      [2, 3, 4],
      [2, 3, 4],
    ])
    await fanOutAll()
    await replay(4)
    await oldEvents()
    assert.deepEqual((await events())[1], [4], 'the replay has still to look there')
    await endReplay()
    await oldEvents()
    assert.deepEqual((await events())[1], [])
  })

  test(`purges the deliveries of a deleted webhook in batches (${engine})`, async () => {
    const { hook, deliver, send, oldLogs, oldEvents, count, events } = await setUp()
    await deliver(450, 'succeeded')
    await deliver(1, 'pending')
    await oldLogs()
    assert.deepEqual(await count(), { deliveries: 451, attempts: 451, removed: 0 })
    assert.equal((await send(`DELETE /api/v1/webhooks/${hook}`)).status, 204)
    assert.deepEqual(await count(), { deliveries: 451, attempts: 451, removed: 1 })
    clock.advance(11 * DAY)
    await oldEvents()
    assert.deepEqual(await events(), [[1, 2], []])
    await oldLogs()
    assert.deepEqual(await count(), { deliveries: 0, attempts: 0, removed: 0 })
    assert.deepEqual(await events(), [[], []])
  })
}

const fanOut = command((db) =>
  db
    .updateTable('workspaces')
    .set((is) => ({ fanned_out_sequence: is.ref('last_sequence'), has_unsent_events: 0 })),
)

const setAttempted = command(
  (db, $: Scoped<{ ids: string[]; status: DeliveryRow['status'] }>, { inList }) =>
    db
      .updateTable('deliveries')
      .set({ status: $.status, attempt_count: 1 })
      .where(inList('deliveries.id', $.ids)),
)

const insertAttempt = command((db, $: Scoped<{ id: string; now: string }>) =>
  db.insertInto('delivery_attempts').values({
    workspace_id: $.workspace_id,
    delivery_id: $.id,
    number: 1,
    started_at: $.now,
    duration_ms: 1,
    url: 'https://example.com',
    headers: '{}',
  }),
)

const insertReplay = insertRow(
  'replays',
  'id',
  'webhook_id',
  'activation',
  'next_sequence',
  'to_sequence',
)

const endReplays = command((db) => db.deleteFrom('replays'))

const counted = query((db) =>
  db.selectFrom('workspaces').select((is) => {
    const rowsOf = (table: 'deliveries' | 'delivery_attempts' | 'removed_webhooks') =>
      is.selectFrom(table).select((all) => all.fn.countAll<number>().as('count'))
    return [
      rowsOf('deliveries').as('deliveries'),
      rowsOf('delivery_attempts').as('attempts'),
      rowsOf('removed_webhooks').as('removed'),
    ]
  }),
)
