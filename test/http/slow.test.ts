import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { type Exchange, exchange, portOf } from '../support/socket.ts'

/** More than the buffers on the way hold. */
const HEAP = 256
const CHUNK = Buffer.alloc(65_536, 'x')
let port: number
let post: string

before(async () => {
  const { storage, server } = await docketOn('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { keys, project } = await newHome(storage)
  port = await portOf(server)
  post =
    `POST /api/v1/projects/${project}/tags HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nContent-Type: application/json\r\n`
})

const only = ({ replies, error }: Exchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}

test('a request that does not arrive in time is 408, whichever part is slow', async () => {
  const { server } = await docketOn('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { headersTimeout, requestTimeout } = server.server
  assert.deepEqual([headersTimeout, requestTimeout], [30_000, 30_000])
  Object.assign(server.server, { headersTimeout: 300, requestTimeout: 300 })
  const slow = await Promise.all([
    exchange(port, 'GET /healthz HTTP/1.1\r\nHost: ', { hold: true, patience: 30_000 }),
    exchange(port, `${post}Content-Length: 9\r\n\r\n{"na`, { hold: true, patience: 30_000 }),
    exchange(
      port,
      [`${post}Transfer-Encoding: chunked\r\n\r\n`, ...Array<string>(100).fill('1\r\n{\r\n')],
      { hold: true, pause: 50, patience: 30_000 },
    ),
  ]).finally(() => Object.assign(server.server, { headersTimeout, requestTimeout }))
  for (const one of slow) {
    const { status, body, headers } = only(one)
    assert.equal(status, 408)
    assert.equal(JSON.parse(body).error.code, 'request_timeout')
    assert.equal(headers['x-request-id'], JSON.parse(body).error.request_id)
    assert.ok(one.closed)
    // Looked for each second, where Node would look each half minute.
    assert.ok(one.ms < 3_000, `${one.ms} ms`)
  }
})

test('a body that is too large is 413, read in vain and closed, and its sender gets the reply', async () => {
  const declared = `${post}Content-Length: ${HEAP * CHUNK.length}\r\n\r\n`
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
  const size = `${CHUNK.length.toString(16)}\r\n`
  const options = { hold: true, pause: 0, patience: 30_000, deaf: true }
  const cases = await Promise.all([
    exchange(port, [declared, ...Array<Buffer>(HEAP).fill(CHUNK)], options),
    exchange(
      port,
      [chunked, ...Array<Buffer>(HEAP).fill(Buffer.from(`${size}${CHUNK}\r\n`))],
      options,
    ),
    // Its sender waits for the reply before it sends a byte.
    exchange(port, declared, options),
  ])
  for (const one of cases) {
    const { status, headers } = only(one)
    assert.equal(status, 413)
    assert.equal(headers.connection, 'close')
    assert.ok(one.closed)
  }
})

test('a body of exactly 1 MiB is taken, declared or streamed', async () => {
  const body = `{"name":"${'x'.repeat(1_048_576 - 11)}"}`
  const declared = `${post}Content-Length: ${body.length}\r\n\r\n${body}`
  const size = body.length.toString(16)
  const streamed = `${post}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`
  for (const text of [declared, streamed]) {
    assert.equal(only(await exchange(port, text, { patience: 30_000 })).status, 422)
  }
})

test('requests sent at once on a connection are answered in their order', async () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  const text = get('/healthz') + get('/nothing') + get('/api/v1/projects') + get('/healthz')
  const { replies } = await exchange(port, text, { replies: 4 })
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 404, 401, 200],
  )
})
