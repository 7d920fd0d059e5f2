import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'undici'
import { answering, reply } from '#test/support/answering.ts'
import { Exchange } from './exchange.ts'
import type { Reception } from './reception.ts'

test('what is over is not sent any more, and told once', async (t) => {
  const { port, requests } = await answering(t, (socket) => socket.write(reply(200)))
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const told: Reception[] = []
  const patience = { connectMs: 1_000, timeoutMs: 1_000 }
  const exchange = new Exchange(patience, (reception) => told.push(reception))
  assert.equal(exchange.over, false)
  exchange.end('timeout')
  assert.ok(exchange.over)
  pool.dispatch({ method: 'POST', path: '/', body: '{}' }, exchange)
  await pool.close()
  assert.equal(requests.length, 0)
  assert.deepEqual(
    told.map(({ error }) => error),
    ['timeout'],
  )
})
