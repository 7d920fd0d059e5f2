import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Queue } from './waiting.ts'

const message = () => new IncomingMessage(new Socket())

test('those who wait are served in order, some in each turn, and more than there is room for do not wait', async () => {
  const queue = new Queue()
  const served: number[] = []
  for (let n = 0; n < 100; n++) assert.ok(queue.put(100, message(), () => served.push(n)))
  assert.equal(
    queue.put(100, message(), () => served.push(100)),
    false,
  )
  queue.serveOldest()
  assert.deepEqual(served, [0])
  await turn()
  assert.ok(
    queue.length > 50,
    `${queue.length} wait for the next turn, in which others are looked for`,
  )
  for (let n = 0; n < 10; n++) await turn()
  assert.deepEqual(
    served,
    Array.from({ length: 100 }, (_, n) => n),
  )
  assert.equal(queue.age(), 0)
})

test('a turn ends when it has taken long, however little was done in it', async () => {
  const queue = new Queue()
  let served = 0
  const slow = () => {
    served += 1
    const end = performance.now() + 40
    while (performance.now() < end);
  }
  const first = message()
  queue.put(10, first, slow)
  for (let n = 1; n < 4; n++) queue.put(10, message(), slow)
  await turn()
  assert.equal(served, 1)
  assert.ok(queue.age() >= 40, 'and the others get older')
  assert.ok((queue.since(first) ?? Number.NaN) < performance.now())
  for (let n = 0; n < 10; n++) await turn()
  assert.equal(served, 4)
})
