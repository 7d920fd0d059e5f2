import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Pool } from 'undici'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { type AttemptResult, ResponseHandler } from './sender.ts'

/** Responds in another thread, and then sets the first number of the shared memory. */
const RECEIVER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:http').createServer((request, reply) => {
    parentPort.postMessage('request')
    reply.end('ok', () => {
      Atomics.store(workerData, 0, 1)
      Atomics.notify(workerData, 0)
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

test('a response that came in time counts, though this process reads it too late', async (t) => {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const receiver = new Worker(RECEIVER, { eval: true, workerData: answered })
  t.after(() => receiver.terminate())
  const [port] = await once(receiver, 'message')
  const requested = once(receiver, 'message')
  const runInTimersPhase = promisify(setTimeout)
  const clock = stopPerformanceClock(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const timeouts = { connectMs: 1_000, timeoutMs: 1_000 }
  const { promise, resolve } = Promise.withResolvers<AttemptResult>()
  pool.dispatch({ method: 'POST', path: '/', body: '{}' }, new ResponseHandler(timeouts, resolve))
  await requested
  await runInTimersPhase(0)
  // Nothing is read from here on, until the time is over.
  Atomics.wait(answered, 0, 0)
  clock.pass(1_000)
  t.mock.timers.tick(1_000)
  const { status, error, body } = await promise
  assert.deepEqual([status, error, body], [200, null, 'ok'])
  await pool.close()
})
