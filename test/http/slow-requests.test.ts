import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort, type RawExchange } from '../support/server/raw-exchange.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** More chunks than all socket buffers hold. */
const CHUNK_COUNT = 256
const CHUNK = Buffer.alloc(65_536, 'x')
const SLOW_CHUNK_COUNT = 4
const SLOW_PAUSE_MS = 800
let port: number
let post: string

before(async () => {
  const { storage, server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { keys, project } = await createTestWorkspace(storage)
  port = await listenOnPort(server)
  post =
    `POST /api/v1/projects/${project}/tags HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nContent-Type: application/json\r\n`
})

const onlyReply = ({ replies, error }: RawExchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}

test('a slow request gets 408, whether its head or its body is slow', async () => {
  const { server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { headersTimeout, requestTimeout } = server.server
  assert.deepEqual([headersTimeout, requestTimeout], [30_000, 30_000])
  // Node would check the timeouts every 30 seconds.
  assert.equal(Reflect.get(server.server, 'connectionsCheckingInterval'), 1_000)
  Object.assign(server.server, { headersTimeout: 300, requestTimeout: 300 })
  const slow = await Promise.all([
    exchangeRaw(port, 'GET /healthz HTTP/1.1\r\nHost: ', { keepsOpen: true, timeoutMs: 60_000 }),
    exchangeRaw(port, `${post}Content-Length: 9\r\n\r\n{"na`, {
      keepsOpen: true,
      timeoutMs: 60_000,
    }),
    exchangeRaw(
      port,
      [`${post}Transfer-Encoding: chunked\r\n\r\n`, ...Array<string>(100).fill('1\r\n{\r\n')],
      { keepsOpen: true, pauseMs: 50, timeoutMs: 60_000 },
    ),
  ]).finally(() => Object.assign(server.server, { headersTimeout, requestTimeout }))
  for (const one of slow) {
    const { status, body, headers } = onlyReply(one)
    assert.equal(status, 408)
    assert.equal(JSON.parse(body).error.code, 'request_timeout')
    assert.equal(headers['x-request-id'], JSON.parse(body).error.request_id)
    assert.ok(one.closed)
  }
})

test('a body that is too large gets 413, is drained, and the connection is closed', async () => {
  const declared = `${post}Content-Length: ${CHUNK_COUNT * CHUNK.length}\r\n\r\n`
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
  const size = `${CHUNK.length.toString(16)}\r\n`
  const options = { keepsOpen: true, pauseMs: 0, timeoutMs: 30_000, readsAfterWriting: true }
  const cases = await Promise.all([
    exchangeRaw(port, [declared, ...Array<Buffer>(CHUNK_COUNT).fill(CHUNK)], options),
    exchangeRaw(
      port,
      [chunked, ...Array<Buffer>(CHUNK_COUNT).fill(Buffer.from(`${size}${CHUNK}\r\n`))],
      options,
    ),
    // This client waits for the response before it sends the body.
    exchangeRaw(port, declared, options),
    // The connection stays open while a client that ignores the response sends on.
    exchangeRaw(port, [declared, ...Array<Buffer>(SLOW_CHUNK_COUNT).fill(CHUNK)], {
      keepsOpen: true,
      pauseMs: SLOW_PAUSE_MS,
      timeoutMs: 30_000,
    }),
  ])
  assert.equal(cases[3]?.sent, 1 + SLOW_CHUNK_COUNT)
  for (const one of cases) {
    const { status, headers } = onlyReply(one)
    assert.equal(status, 413)
    assert.equal(headers.connection, 'close')
    assert.ok(one.closed)
  }
})

test('accepts a body of exactly 1 MiB, with Content-Length or chunked', async () => {
  const body = `{"name":"${'x'.repeat(1_048_576 - 11)}"}`
  const declared = `${post}Content-Length: ${body.length}\r\n\r\n${body}`
  const size = body.length.toString(16)
  const streamed = `${post}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`
  for (const text of [declared, streamed]) {
    assert.equal(onlyReply(await exchangeRaw(port, text, { timeoutMs: 30_000 })).status, 422)
  }
})

test('answers pipelined requests in order', async () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  const text = get('/healthz') + get('/nothing') + get('/api/v1/projects') + get('/healthz')
  const { replies } = await exchangeRaw(port, text, { replies: 4 })
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 404, 401, 200],
  )
})
