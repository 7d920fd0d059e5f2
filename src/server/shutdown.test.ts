import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { shutDown } from './run-server.ts'

async function startServer() {
  const server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  const order: string[] = []
  const [requested, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.get('/', async () => {
    requested.resolve()
    await answer.promise
    order.push('answered')
    return 'done'
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const reply = fetch(address).then(
    (response) => response.status,
    () => 'cut off',
  )
  await requested.promise
  const stopBackgroundWork = async () => {
    order.push('no more beside')
  }
  const closeResources = async () => {
    order.push('ended')
  }
  const lifecycle = { isDraining: false }
  return {
    stopping: {
      server,
      lifecycle,
      drainSeconds: 0,
      stopBackgroundWork,
      closeResources,
    },
    reply,
    order,
    lifecycle,
    answer: answer.resolve,
  }
}

/** Far longer than a test may take. */
const HOUR_MS = 3_600_000
const timeout = 30_000

test('finishes running requests and background work before closing the storage', {
  timeout,
}, async () => {
  const { stopping, reply, order, lifecycle, answer } = await startServer()
  const stopBackgroundWork = async () => {
    await stopping.stopBackgroundWork()
    // The close ends idle connections; this one is busy when it begins.
    await waitUntil('the close', () => !stopping.server.server.listening)
    answer()
  }
  // Would wait an hour for a connection that stays open after its reply.
  await shutDown({ ...stopping, stopBackgroundWork }, HOUR_MS)
  assert.equal(lifecycle.isDraining, true)
  assert.equal(await reply, 200)
  assert.deepEqual(order, ['no more beside', 'answered', 'ended'])
})

test('aborts slow requests after the timeout and still closes the storage', {
  timeout,
}, async () => {
  const { stopping, reply, order } = await startServer()
  await shutDown(stopping, 50)
  assert.equal(await reply, 'cut off')
  assert.deepEqual(order, ['no more beside', 'ended'])
})

test('stops waiting for background work after the timeout and closes the storage', {
  timeout,
}, async () => {
  const { stopping, reply, order, answer } = await startServer()
  answer()
  assert.equal(await reply, 200)
  await shutDown({ ...stopping, stopBackgroundWork: () => new Promise(() => {}) }, 50)
  // Both time-outs end at the same time, in either order.
  assert.deepEqual(order, ['answered', 'ended'])
})
