import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn } from '../support/engines.ts'
import { exchange, portOf } from '../support/socket.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

test('a connection on which nothing comes, at first or after a request, is closed', async () => {
  const { server } = await docketOn('sqlite', { DOCKET_DRAIN_SECONDS: '3' })
  const port = await portOf(server)
  const { keepAliveTimeout, headersTimeout, maxConnections } = server.server
  assert.deepEqual([keepAliveTimeout, headersTimeout], [60_000, 30_000])
  assert.equal(maxConnections, 10_000)
  Object.assign(server.server, { keepAliveTimeout: 200, headersTimeout: 300 })
  const [silent, idle] = await Promise.all([
    exchange(port, '', { hold: true, patience: 30_000 }),
    exchange(port, GET, { hold: true, patience: 30_000 }),
  ])
  assert.ok(silent.closed && idle.closed)
  assert.ok(silent.ms < 4_000 && idle.ms < 4_000, `${silent.ms} ms, ${idle.ms} ms`)
  assert.equal(idle.replies[0]?.status, 200)
})

test('who keeps asking keeps the connection', async () => {
  const { server } = await docketOn('sqlite', { DOCKET_DRAIN_SECONDS: '3' })
  const port = await portOf(server)
  const pieces = Array<string>(5).fill(GET)
  const { replies, closed } = await exchange(port, pieces, { replies: 5, pause: 100 })
  assert.deepEqual([replies.length, closed], [5, false])
})
