import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

test('closes idle connections, before the first request and after one', async () => {
  const { server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '3' })
  const port = await listenOnPort(server)
  const { keepAliveTimeout, headersTimeout, maxConnections } = server.server
  assert.deepEqual([keepAliveTimeout, headersTimeout], [60_000, 30_000])
  assert.equal(maxConnections, 10_000)
  // Node would look for silent connections every 30 seconds.
  assert.equal(Reflect.get(server.server, 'connectionsCheckingInterval'), 1_000)
  Object.assign(server.server, { keepAliveTimeout: 200, headersTimeout: 300 })
  const [silent, idle] = await Promise.all([
    exchangeRaw(port, '', { keepsOpen: true, timeoutMs: 60_000 }),
    exchangeRaw(port, GET, { keepsOpen: true, timeoutMs: 60_000 }),
  ]).finally(() => Object.assign(server.server, { keepAliveTimeout, headersTimeout }))
  assert.ok(silent.closed && idle.closed)
  assert.equal(idle.replies[0]?.status, 200)
})

test('keeps a connection open while requests keep coming', async () => {
  const { server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '3' })
  const port = await listenOnPort(server)
  const pieces = Array<string>(5).fill(GET)
  const { replies, closed } = await exchangeRaw(port, pieces, { replies: 5, pauseMs: 100 })
  assert.deepEqual([replies.length, closed], [5, false])
})
