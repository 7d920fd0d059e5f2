import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadyDelivery } from '../dispatch/store.ts'
import { WebhookQueue } from './webhook-queue.ts'

const openQueue = (): WebhookQueue =>
  new WebhookQueue({
    ...{ id: 'whk_1', url: 'https://example.com/hook', is_active: 1, activation: 1 },
    ...{ sealed_secret: '', sealed_previous_secret: null, previous_secret_expires_at: null },
    ...{ failure_count: 0, has_stale: 0 },
  })

const deliveryOf = (id: string, queue: ReadyDelivery['queue'], body = '{}'): ReadyDelivery => ({
  ...{ id, queue, body, event_id: `evt_${id}`, event_type: 'task.updated', attempt_count: 0 },
  ...{ lane: null, is_test: 0, created_at: '2026-01-01T00:00:00.000Z' },
})

const LIVE = [deliveryOf('live1', 1), deliveryOf('live2', 1)]
const REPLAYS = ['replay1', 'replay2', 'replay3'].map((id) => deliveryOf(id, 2))
const TEST = deliveryOf('test', 0)

const ready = (queue: WebhookQueue) => queue.ready.map(({ id }) => id)

test('tests and redeliveries do not wait for a backlog, and a replay does not hold up live events', () => {
  const queue = openQueue()
  queue.fill([...REPLAYS, ...LIVE, TEST], 10)
  assert.deepEqual(ready(queue), ['test', 'live1', 'replay1', 'live2', 'replay2', 'replay3'])
  assert.equal(queue.isExhausted, true)
  queue.fill([...REPLAYS, ...LIVE, TEST], 3)
  assert.deepEqual(ready(queue), ['test', 'live1', 'replay1'])
  assert.equal(queue.isExhausted, false)
})

test('reads fewer deliveries ahead where their bodies are long, but always one', () => {
  const queue = openQueue()
  const long = 'x'.repeat(200_000)
  queue.fill([deliveryOf('1', 1, long), deliveryOf('2', 1, long)], 16)
  assert.deepEqual(ready(queue), ['1'])
  assert.equal(queue.readAhead, 4)
  assert.equal(queue.isExhausted, false)
  queue.fill([deliveryOf('2', 1, long.repeat(2))], 16)
  assert.deepEqual(ready(queue), ['2'])
  queue.fill([deliveryOf('3', 1)], 16)
  assert.equal(queue.readAhead, 100)
})
