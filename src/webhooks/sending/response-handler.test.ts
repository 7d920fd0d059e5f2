import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'undici'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import type { AttemptResult } from './attempt-result.ts'
import { ResponseHandler } from './response-handler.ts'

test('a settled response handler sends no request and reports its result once', async (t) => {
  const { port, requests } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const results: AttemptResult[] = []
  const timeouts = { connectMs: 1_000, timeoutMs: 1_000 }
  const handler = new ResponseHandler(timeouts, (reception) => results.push(reception))
  assert.equal(handler.isSettled, false)
  handler.end('timeout')
  assert.ok(handler.isSettled)
  pool.dispatch({ method: 'POST', path: '/', body: '{}' }, handler)
  await pool.close()
  assert.equal(requests.length, 0)
  assert.deepEqual(
    results.map(({ error }) => error),
    ['timeout'],
  )
})
