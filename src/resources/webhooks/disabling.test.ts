import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'
import {
  cancelStaleDeliveries,
  DELIVERY_QUEUES,
  disableWebhook,
  queueDeliveries,
} from '#db/deliveries/delivery-queue.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const EVENT = 'evt_01k2m3n4p5q6r7s8t9v0w1x2y3'

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, send } = await openTestClient(engine)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const hook = await send('POST /api/v1/webhooks', { url: 'https://example.com', events: ['*'] })
    const kept = () => storage.read(actor, (tx) => tx.one(state, {}))
    return {
      path: `/api/v1/webhooks/${hook.id}`,
      send,
      kept,
      disable: (reason: 'gone' | 'failures') =>
        storage.write(actor, (tx) => disableWebhook(tx, { id: hook.id, reason })),
      goOn: () => storage.write(actor, (tx) => cancelStaleDeliveries(tx, hook.id)),
      fail: () => storage.write(actor, (tx) => tx.run(failed, { now: tx.now })),
      /** Queues deliveries of one subject, so that all but the first are blocked. */
      async queue(count: number) {
        const { activation = 0 } = (await kept()) ?? {}
        const one = { webhook_id: hook.id, event_id: EVENT, event_type: 'task.updated' } as const
        const lane = { queue: DELIVERY_QUEUES.live, lane: 'a', sequence: 1, activation }
        await storage.write(actor, (tx) =>
          queueDeliveries(tx, Array(count).fill({ ...one, ...lane })),
        )
      },
      async statuses() {
        const rows = await storage.read(actor, (tx) => tx.all(counted, {}))
        return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
      },
    }
  }

  test(`disabling a webhook cancels its pending deliveries (${engine})`, async () => {
    const { send, path, queue, statuses, kept } = await setUp()
    await queue(3)
    assert.equal((await kept())?.pending_count, 3)
    const { data } = await send(`GET ${path}/deliveries?sort=created_at`)
    const next = data.map((one: { next_attempt_at: string | null }) => one.next_attempt_at !== null)
    assert.deepEqual(next, [true, false, false], 'later ones wait for the first')
    await send(`PATCH ${path}?dry_run=true`, { is_active: false })
    assert.deepEqual(await statuses(), { pending: 3 })
    await send(`PATCH ${path}`, { is_active: false, description: 'off' })
    assert.deepEqual(await statuses(), { canceled: 3 })
    const state = { activation: 1, has_stale: 0, pending_count: 0, next_due_at: null }
    assert.deepEqual(await kept(), { ...state, failing_since: null })
    await send(`PATCH ${path}`, { is_active: false })
    assert.equal((await kept())?.activation, 1, 'it was disabled already')
    await send(`PATCH ${path}`, { is_active: true })
    await queue(1)
    assert.deepEqual(await statuses(), { canceled: 3, pending: 1 })
    assert.equal((await send(`GET ${path}/deliveries?status=pending`)).data.length, 1)
  })

  test(`cancels many deliveries in batches, even if the webhook is enabled meanwhile (${engine})`, async () => {
    const { send, path, queue, statuses, kept, goOn } = await setUp()
    await queue(1_200)
    await send(`PATCH ${path}`, { is_active: false })
    assert.deepEqual(await statuses(), { canceled: 500, pending: 700 })
    assert.equal((await kept())?.has_stale, 1)
    assert.notEqual((await kept())?.next_due_at, null, 'there is something to do')
    await send(`PATCH ${path}`, { is_active: true })
    await queue(1)
    assert.equal(await goOn(), true)
    assert.equal(await goOn(), false)
    assert.deepEqual(await statuses(), { canceled: 1_200, pending: 1 })
    const { has_stale, pending_count } = (await kept()) ?? {}
    assert.deepEqual([has_stale, pending_count], [0, 1])
  })

  test(`records why a webhook was disabled, and resets it when enabled (${engine})`, async () => {
    const { send, path, disable, fail, kept } = await setUp()
    const before = await send(`GET ${path}`)
    await fail()
    await disable('failures')
    const disabled = await send(`GET ${path}`)
    assert.deepEqual(
      [disabled.is_active, disabled.status, disabled.disabled_reason, disabled.failure_count],
      [false, 'disabled', 'failures', 20],
    )
    assert.ok(disabled.updated_at > before.updated_at)
    await disable('gone')
    assert.deepEqual(await send(`GET ${path}`), disabled, 'the first reason stays')
    const again = await send(`PATCH ${path}`, { is_active: true })
    assert.deepEqual([again.disabled_reason, again.failure_count], [null, 0])
    assert.equal((await kept())?.failing_since, null)
  })
}

const state = query((db) =>
  db
    .selectFrom('webhooks')
    .select(['activation', 'has_stale', 'pending_count', 'next_due_at', 'failing_since']),
)

const counted = query((db) =>
  db
    .selectFrom('deliveries')
    .select((is) => ['status', is.fn.countAll<number>().as('count')])
    .groupBy('status'),
)

const failed = command((db, $: Scoped<{ now: string }>) =>
  db.updateTable('webhooks').set({ failure_count: 20, failing_since: $.now }),
)
