import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { openTestDocket, testLog } from '#test/support/engines/test-docket.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { RequestQueue } from './load-shedder.ts'
import { createOverloadMonitor, SAMPLE_INTERVAL_MS } from './overload.ts'

test('does not take a slow start for overload', async (t) => {
  const { storage } = await openTestDocket('sqlite')
  const authenticator = { findRecentWorkspace: () => undefined }
  const context = { log: testLog, shedsLoad: true, storage, authenticator, isStarting: true }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = stopPerformanceClock(t)
  const server = fastify()
  t.after(() => server.close())
  const monitor = createOverloadMonitor(server, context, { oldestAge: 0 })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const sampleLate = () => {
    clock.pass(1_000)
    t.mock.timers.tick(SAMPLE_INTERVAL_MS)
  }
  for (const _ of ['one', 'two', 'three']) sampleLate()
  assert.ok(!monitor.isShedding)
  context.isStarting = false
  sampleLate()
  assert.ok(!monitor.isShedding, 'after one late sample')
  sampleLate()
  assert.ok(monitor.isShedding, 'after two of them')
})

const message = () => new IncomingMessage(new Socket())

test('serves requests in order, some in each turn, and refuses those beyond its maximum length', async () => {
  const queue = new RequestQueue()
  const served: number[] = []
  const enqueue = (n: number) => queue.enqueue(message(), () => served.push(n))
  const all = Array.from({ length: 1_000 }, (_, n) => n)
  assert.ok(all.every(enqueue))
  assert.equal(enqueue(1_000), false)
  await turn()
  await turn()
  assert.ok(
    queue.length > 900,
    `${queue.length} are left for later turns, between which new requests are accepted`,
  )
  while (queue.length > 0) await turn()
  assert.deepEqual(served, all)
  assert.equal(queue.oldestAge, 0)
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
  queue.enqueue(first, slow)
  for (let n = 1; n < 4; n++) queue.enqueue(message(), slow)
  // The first turn was planned for the first request alone, the second one for all others.
  await turn()
  await turn()
  assert.equal(served, 2)
  assert.equal(queue.oldestAge, performance.now() - start, 'the others keep waiting')
  assert.equal(queue.queuedAt(first), start)
  for (let n = 0; n < 10; n++) await turn()
  assert.equal(served, 4)
})
