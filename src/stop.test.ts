import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { stop } from './stop.ts'

async function serving(answersAfterMs: number) {
  const server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  const order: string[] = []
  server.get('/', async () => {
    await new Promise((resolve) => setTimeout(resolve, answersAfterMs).unref())
    order.push('answered')
    return 'done'
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const reply = fetch(address).then(
    (response) => response.status,
    () => 'cut off',
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  const beside = async () => {
    order.push('no more beside')
  }
  const end = async () => {
    order.push('ended')
  }
  const drain = { draining: false }
  return { stopping: { server, drain, drainSeconds: 0, beside, end }, reply, order, drain }
}

test('what is under way is finished before the storage ends, and beside it the rest', async () => {
  const { stopping, reply, order, drain } = await serving(400)
  const begin = performance.now()
  await stop(stopping)
  assert.ok(performance.now() - begin < 5_000, 'an answered connection is not waited for')
  assert.equal(drain.draining, true)
  assert.equal(await reply, 200)
  assert.deepEqual(order, ['no more beside', 'answered', 'ended'])
})

test('what takes too long is cut off, and the rest still ends', async () => {
  const { stopping, reply, order } = await serving(60_000)
  const begin = performance.now()
  await stop(stopping, 300)
  assert.ok(performance.now() - begin < 2_000)
  assert.equal(await reply, 'cut off')
  assert.deepEqual(order, ['no more beside', 'ended'])
})

test('what runs beside has no longer than the requests, and the storage still ends', async () => {
  const { stopping, reply, order } = await serving(0)
  const begin = performance.now()
  await stop({ ...stopping, beside: () => new Promise(() => {}) }, 300)
  assert.ok(performance.now() - begin < 2_000)
  assert.equal(await reply, 200)
  assert.deepEqual(order, ['answered', 'ended'])
})
