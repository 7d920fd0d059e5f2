import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { until } from '#test/support/delivering.ts'
import { stop } from './stop.ts'

async function serving() {
  const server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  const order: string[] = []
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.get('/', async () => {
    asked.resolve()
    await answer.promise
    order.push('answered')
    return 'done'
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const reply = fetch(address).then(
    (response) => response.status,
    () => 'cut off',
  )
  await asked.promise
  const beside = async () => {
    order.push('no more beside')
  }
  const end = async () => {
    order.push('ended')
  }
  const drain = { draining: false }
  return {
    stopping: { server, drain, drainSeconds: 0, beside, end },
    reply,
    order,
    drain,
    answer: answer.resolve,
  }
}

/** Far longer than a test may take. */
const HOUR_MS = 3_600_000
const timeout = 30_000

test('what is under way is finished before the storage ends, and beside it the rest', {
  timeout,
}, async () => {
  const { stopping, reply, order, drain, answer } = await serving()
  const beside = async () => {
    await stopping.beside()
    // Its connection is busy when the close begins, which ends those that are not.
    await until('the close', () => !stopping.server.server.listening)
    answer()
  }
  // It would wait an hour for a connection that is kept open after its answer.
  await stop({ ...stopping, beside }, HOUR_MS)
  assert.equal(drain.draining, true)
  assert.equal(await reply, 200)
  assert.deepEqual(order, ['no more beside', 'answered', 'ended'])
})

test('what takes too long is cut off, and the rest still ends', { timeout }, async () => {
  const { stopping, reply, order } = await serving()
  await stop(stopping, 50)
  assert.equal(await reply, 'cut off')
  assert.deepEqual(order, ['no more beside', 'ended'])
})

test('what runs beside has no longer than the requests, and the storage still ends', {
  timeout,
}, async () => {
  const { stopping, reply, order, answer } = await serving()
  answer()
  assert.equal(await reply, 200)
  await stop({ ...stopping, beside: () => new Promise(() => {}) }, 50)
  assert.deepEqual(order, ['answered', 'ended'])
})
