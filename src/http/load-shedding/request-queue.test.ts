import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { RequestQueue } from './request-queue.ts'

const message = () => new IncomingMessage(new Socket())

test('serves requests in order, some in each turn, and rejects those beyond the maximum length', async () => {
  const queue = new RequestQueue()
  const served: number[] = []
  for (let n = 0; n < 100; n++) assert.ok(queue.enqueue(100, message(), () => served.push(n)))
  assert.equal(
    queue.enqueue(100, message(), () => served.push(100)),
    false,
  )
  queue.serveOldest()
  assert.deepEqual(served, [0])
  await turn()
  assert.ok(
    queue.length > 50,
    `${queue.length} are left for later turns, between which new requests are accepted`,
  )
  for (let n = 0; n < 10; n++) await turn()
  assert.deepEqual(
    served,
    Array.from({ length: 100 }, (_, n) => n),
  )
  assert.equal(queue.getOldestAge(), 0)
})

test('ends a turn after its maximum duration, even if few requests were served', async () => {
  const queue = new RequestQueue()
  let served = 0
  const slow = () => {
    served += 1
    const end = performance.now() + 40
    while (performance.now() < end);
  }
  const first = message()
  queue.enqueue(10, first, slow)
  for (let n = 1; n < 4; n++) queue.enqueue(10, message(), slow)
  await turn()
  assert.equal(served, 1)
  assert.ok(queue.getOldestAge() >= 40, 'the others keep waiting')
  assert.ok((queue.queuedAt(first) ?? Number.NaN) < performance.now())
  for (let n = 0; n < 10; n++) await turn()
  assert.equal(served, 4)
})
