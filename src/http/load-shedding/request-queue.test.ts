import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
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

test('ends a turn after its maximum duration, even if few requests were served', async (t) => {
  const clock = stopPerformanceClock(t)
  const start = performance.now()
  const queue = new RequestQueue()
  let served = 0
  const slow = () => {
    served += 1
    clock.pass(40)
  }
  const first = message()
  queue.enqueue(10, first, slow)
  for (let n = 1; n < 4; n++) queue.enqueue(10, message(), slow)
  // The first turn was planned for the first request alone, the second one for all others.
  await turn()
  await turn()
  assert.equal(served, 2)
  assert.equal(queue.getOldestAge(), performance.now() - start, 'the others keep waiting')
  assert.equal(queue.queuedAt(first), start)
  for (let n = 0; n < 10; n++) await turn()
  assert.equal(served, 4)
})
