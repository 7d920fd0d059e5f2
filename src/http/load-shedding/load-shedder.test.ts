import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { RequestQueue } from './load-shedder.ts'

const message = () => new IncomingMessage(new Socket())

test('serves requests in order, some in each turn, and refuses those beyond its maximum length', async () => {
  const queue = new RequestQueue()
  const served: number[] = []
  const enqueue = (n: number) => queue.enqueue(message(), () => served.push(n))
  const all = Array.from({ length: 1_000 }, (_, n) => n)
  assert.ok(all.every(enqueue))
  assert.equal(enqueue(1_000), false)
  await turn()
  assert.ok(
    queue.length > 900,
    `${queue.length} are left for later turns, between which new requests are accepted`,
  )
  while (queue.length > 0) await turn()
  assert.deepEqual(served, all)
  assert.equal(queue.oldestAge, 0)
})
