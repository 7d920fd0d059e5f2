import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { createWebhookSender, type WebhookRequest, type WebhookSenderOptions } from './sender.ts'

const HERE = { loopback: true, networks: [] }
const { send, close } = createWebhookSender({ targets: HERE, timeoutMs: 60_000 })
after(close)

const post = (url: string | number, more: Partial<WebhookRequest> = {}) =>
  send({
    url: typeof url === 'number' ? `http://127.0.0.1:${url}/hook` : url,
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"title":"Café ☕ 日本"}',
    ...more,
  })

/** A sender with other options, closed after the test. */
function senderOf(t: { after(undo: () => void): void }, options: Partial<WebhookSenderOptions>) {
  const own = createWebhookSender({ targets: HERE, timeoutMs: 60_000, ...options })
  t.after(() => own.close())
  return (url: string) => own.send({ url, headers: {}, body: '{}' })
}

/** Idle connections end after 1.5 s, for which this process may stand still between two requests. */
const keepIdleConnections = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout'] })

test('sends body and headers unchanged and adds only what HTTP requires', async (t) => {
  const { port, requests } = await startRawServer(t, (socket) =>
    socket.write(formatHttpReply(200, 'thanks')),
  )
  const { duration_ms, ...rest } = await post(`http://127.0.0.1:${port}/a%20b/?c=d&e=%C3%A9#f`)
  assert.deepEqual(rest, { status: 200, body: 'thanks', error: null, retry_after: null })
  assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
  const [head = '', body] = (requests[0] ?? '').split('\r\n\r\n')
  assert.equal(body, '{"title":"Café ☕ 日本"}')
  assert.deepEqual(head.split('\r\n'), [
    'POST /a%20b/?c=d&e=%C3%A9 HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'connection: keep-alive',
    'Content-Type: application/json',
    'webhook-id: evt_1',
    'content-length: 28',
  ])
})

test('treats 2xx as success, never follows redirects, and treats all else as a failure', async (t) => {
  const { port, requests } = await startRawServer(t, (socket, request) => {
    const status = Number(/POST \/(\d+)/.exec(request)?.[1])
    socket.write(formatHttpReply(status, '', { Location: `http://127.0.0.1:${port}/200` }))
  })
  const outcomes: Record<number, string | null> = {
    200: null,
    201: null,
    202: null,
    299: null,
    300: 'redirect',
    301: 'redirect',
    302: 'redirect',
    307: 'redirect',
    308: 'redirect',
    400: 'http_status',
    410: 'http_status',
    429: 'http_status',
    500: 'http_status',
    599: 'http_status',
    600: 'http_status',
    999: 'http_status',
  }
  for (const [status, error] of Object.entries(outcomes)) {
    const reception = await post(`http://127.0.0.1:${port}/${status}`)
    assert.deepEqual([reception.status, reception.error], [Number(status), error])
  }
  assert.equal(requests.length, Object.keys(outcomes).length)
})

test('reports an empty body for a response without one', async (t) => {
  const { port } = await startRawServer(t, (socket) =>
    socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  )
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 204, body: '', error: null })
})

test('returns the first Retry-After header unchanged', async (t) => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  const { port } = await startRawServer(t, (socket, request) => {
    const twice =
      'HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nretry-after: 9\r\nContent-Length: 0\r\n\r\n'
    socket.write(
      request.includes('/twice') ? twice : formatHttpReply(429, '', { 'retry-after': date }),
    )
  })
  assert.equal((await post(port)).retry_after, date)
  assert.equal((await post(`http://127.0.0.1:${port}/twice`)).retry_after, '7')
})

test('skips a limited number of interim responses', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
  const { port } = await startRawServer(t, (socket, request) => {
    socket.write(
      request.includes('/many') ? early.repeat(1_000) : early + formatHttpReply(200, 'ok'),
    )
  })
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 200, body: 'ok', error: null })
  assert.equal((await post(`http://127.0.0.1:${port}/many`)).error, 'connection_failed')
})

test('accepts HTTP/1.0 responses without a content length', async (t) => {
  const { port } = await startRawServer(t, (socket) => {
    socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold but fine')
  })
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 200, body: 'old but fine', error: null })
})

test('delivers to a receiver that closes the connection after each response', async (t) => {
  const { port, connections } = await startRawServer(t, (socket) =>
    socket.end(formatHttpReply(200)),
  )
  for (let at = 0; at < 20; at += 1) assert.equal((await post(port)).error, null)
  assert.equal(connections.length, 20)
})

test('reports a closed port and a reset connection as connection_failed without a status', async (t) => {
  const { port } = await startRawServer(t, (socket) => socket.resetAndDestroy())
  const { duration_ms: _, ...reset } = await post(port)
  const nothing = { status: null, body: null, retry_after: null }
  assert.deepEqual(reset, { ...nothing, error: 'connection_failed' })
  const { duration_ms: __, ...closed } = await post('http://127.0.0.1:1/')
  assert.deepEqual(closed, { ...nothing, error: 'connection_failed' })
})

test('an invalid header fails the attempt without throwing', async (t) => {
  const { port, requests } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  const { error } = await post(port, { headers: { 'X-Bad': 'a\r\nX-Injected: b' } })
  assert.equal(error, 'connection_failed')
  assert.equal(requests.length, 0)
})

test('reports a name that cannot be resolved as dns_failed', async (t) => {
  const none = senderOf(t, { resolve: async () => [] })
  assert.equal((await none('http://hooks.example/')).error, 'dns_failed')
  const failing = senderOf(t, { resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  assert.equal((await failing('http://hooks.example/')).error, 'dns_failed')
  const silent = senderOf(t, { timeoutMs: 100, resolve: () => new Promise(() => {}) })
  const { error, duration_ms } = await silent('http://hooks.example/')
  assert.equal(error, 'dns_failed')
  assert.ok(duration_ms >= 99)
  const system = senderOf(t, {})
  for (const host of ['nobody.invalid', `${'a.'.repeat(200)}b`])
    assert.equal((await system(`http://${host}/`)).error, 'dns_failed', host)
})

test('resolves the host name again at every attempt', async (t) => {
  keepIdleConnections(t)
  const { port, requests, connections } = await startRawServer(t, (socket) =>
    socket.write(formatHttpReply(200)),
  )
  const lookups: string[] = []
  const send = senderOf(t, {
    resolve: async (hostname) => {
      lookups.push(hostname)
      return ['127.0.0.1']
    },
  })
  for (let at = 0; at < 3; at += 1) await send(`http://Hooks.Example.:${port}/`)
  assert.deepEqual(lookups, ['hooks.example.', 'hooks.example.', 'hooks.example.'])
  assert.ok(connections.length <= 2)
  assert.match(requests[0] ?? '', new RegExp(`\r\nhost: hooks\\.example\\.:${port}\r\n`))
})

test('reaches loopback by its names where the settings allow it', async (t) => {
  const { port } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  for (const name of ['localhost', 'LOCALHOST.', 'hooks.localhost', '127.1', '2130706433']) {
    assert.equal((await post(`http://${name}:${port}/`)).error, null, name)
  }
  const inner = senderOf(t, {
    targets: { loopback: false, networks: ['127.0.0.0/8'] },
  })
  assert.equal((await inner(`http://localhost:${port}/`)).error, null)
})

test('sends nothing by http to a public address, even where networks are allowed', async (t) => {
  const send = senderOf(t, {
    targets: { loopback: false, networks: ['10.1.0.0/16'] },
    resolve: async (hostname) =>
      hostname === 'both.example' ? ['10.1.2.3', '8.8.8.8'] : ['8.8.8.8'],
  })
  for (const host of ['public.example', 'both.example', '8.8.8.8']) {
    assert.equal((await send(`http://${host}/`)).error, 'blocked_address', host)
  }
})

test('tries the next address if the first does not answer', async (t) => {
  const { port } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  const send = senderOf(t, { resolve: async () => ['127.0.0.9', '::1', '127.0.0.1'] })
  assert.equal((await send(`http://hooks.example:${port}/`)).error, null)
})

test('sends nothing after it is closed', async (t) => {
  const { port, requests } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  const { send, close } = createWebhookSender({ targets: HERE, timeoutMs: 60_000 })
  const to = (host: string) => send({ url: `http://${host}:${port}/`, headers: {}, body: '{}' })
  assert.equal((await to('127.0.0.1')).error, null)
  await close()
  assert.equal((await to('127.0.0.1')).error, 'connection_failed')
  assert.equal((await to('localhost')).error, 'connection_failed')
  assert.equal(requests.length, 1)
})
