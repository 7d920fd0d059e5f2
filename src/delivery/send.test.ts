import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answering, reply } from '#test/support/answering.ts'
import { type Post, type SenderOptions, sender } from './send.ts'

const HERE = { allowHttp: false, loopback: true, networks: [] }
const { send, close } = sender({ targets: HERE, timeoutMs: 2_000 })
after(close)

const post = (url: string | number, more: Partial<Post> = {}) =>
  send({
    url: typeof url === 'number' ? `http://127.0.0.1:${url}/hook` : url,
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"title":"Café ☕ 日本"}',
    ...more,
  })

/** A sender of its own, for a test that needs other options. */
function senderOf(t: { after(undo: () => void): void }, options: Partial<SenderOptions>) {
  const own = sender({ targets: HERE, timeoutMs: 2_000, ...options })
  t.after(() => own.close())
  return (url: string) => own.send({ url, headers: {}, body: '{}' })
}

test('what is posted arrives as it is, with nothing added but what HTTP needs', async (t) => {
  const { port, requests } = await answering(t, (socket) => socket.write(reply(200, 'thanks')))
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

test('2xx is a success, 3xx a redirect that nobody follows, all else a failure', async (t) => {
  const { port, requests } = await answering(t, (socket, request) => {
    const status = Number(/POST \/(\d+)/.exec(request)?.[1])
    socket.write(reply(status, '', { Location: `http://127.0.0.1:${port}/200` }))
  })
  const outcomes: Record<number, string | null> = {
    ...{ 200: null, 201: null, 202: null, 299: null },
    ...{ 300: 'redirect', 301: 'redirect', 302: 'redirect', 307: 'redirect', 308: 'redirect' },
    ...{ 400: 'http_status', 410: 'http_status', 429: 'http_status', 500: 'http_status' },
    ...{ 599: 'http_status', 600: 'http_status', 999: 'http_status' },
  }
  for (const [status, error] of Object.entries(outcomes)) {
    const reception = await post(`http://127.0.0.1:${port}/${status}`)
    assert.deepEqual([reception.status, reception.error], [Number(status), error])
  }
  assert.equal(requests.length, Object.keys(outcomes).length)
})

test('a reply without a body is one with an empty body', async (t) => {
  const { port } = await answering(t, (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 204, body: '', error: null })
})

test('Retry-After is told as it was sent, and the first of several', async (t) => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  const { port } = await answering(t, (socket, request) => {
    const twice =
      'HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nretry-after: 9\r\nContent-Length: 0\r\n\r\n'
    socket.write(request.includes('/twice') ? twice : reply(429, '', { 'retry-after': date }))
  })
  assert.equal((await post(port)).retry_after, date)
  assert.equal((await post(`http://127.0.0.1:${port}/twice`)).retry_after, '7')
})

test('replies before the one that counts are passed over, but not without end', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
  const { port } = await answering(t, (socket, request) => {
    socket.write(request.includes('/many') ? early.repeat(1_000) : early + reply(200, 'ok'))
  })
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 200, body: 'ok', error: null })
  assert.equal((await post(`http://127.0.0.1:${port}/many`)).error, 'connection_failed')
})

test('replies of HTTP/1.0 count, and those without a length', async (t) => {
  const { port } = await answering(t, (socket) => {
    socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold but fine')
  })
  const { status, body, error } = await post(port)
  assert.deepEqual({ status, body, error }, { status: 200, body: 'old but fine', error: null })
})

test('connections are kept for the next attempts', async (t) => {
  const { port, connections } = await answering(t, (socket) => socket.write(reply(200)))
  for (let at = 0; at < 20; at += 1) assert.equal((await post(port)).error, null)
  // One is free again only a turn of the loop after its reply.
  assert.ok(connections.length <= 2)
})

test('a receiver that closes after each reply gets each attempt all the same', async (t) => {
  const { port, connections } = await answering(t, (socket) => socket.end(reply(200)))
  for (let at = 0; at < 20; at += 1) assert.equal((await post(port)).error, null)
  assert.equal(connections.length, 20)
})

test('a closed port and a receiver that resets are told apart from a status', async (t) => {
  const { port } = await answering(t, (socket) => socket.resetAndDestroy())
  const { duration_ms: _, ...reset } = await post(port)
  const nothing = { status: null, body: null, retry_after: null }
  assert.deepEqual(reset, { ...nothing, error: 'connection_failed' })
  const { duration_ms: __, ...closed } = await post('http://127.0.0.1:1/')
  assert.deepEqual(closed, { ...nothing, error: 'connection_failed' })
})

test('headers that HTTP cannot carry fail the attempt, and nothing is thrown', async (t) => {
  const { port, requests } = await answering(t, (socket) => socket.write(reply(200)))
  const { error } = await post(port, { headers: { 'X-Bad': 'a\r\nX-Injected: b' } })
  assert.equal(error, 'connection_failed')
  assert.equal(requests.length, 0)
})

test('a name without addresses, or that cannot be looked up, is dns_failed', async (t) => {
  const none = senderOf(t, { resolve: async () => [] })
  assert.equal((await none('http://hooks.example/')).error, 'dns_failed')
  const failing = senderOf(t, { resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  assert.equal((await failing('http://hooks.example/')).error, 'dns_failed')
  const silent = senderOf(t, { timeoutMs: 100, resolve: () => new Promise(() => {}) })
  const { error, duration_ms } = await silent('http://hooks.example/')
  assert.equal(error, 'dns_failed')
  assert.ok(duration_ms >= 99)
  const system = senderOf(t, {})
  assert.equal((await system('http://nobody.invalid/')).error, 'dns_failed')
})

test('a name is looked up at every attempt, and reached by what it meant then', async (t) => {
  const { port, requests, connections } = await answering(t, (socket) => socket.write(reply(200)))
  const asked: string[] = []
  const send = senderOf(t, {
    resolve: async (hostname) => {
      asked.push(hostname)
      return ['127.0.0.1']
    },
  })
  for (let at = 0; at < 3; at += 1) await send(`http://Hooks.Example.:${port}/`)
  assert.deepEqual(asked, ['hooks.example.', 'hooks.example.', 'hooks.example.'])
  assert.ok(connections.length <= 2)
  assert.match(requests[0] ?? '', new RegExp(`\r\nhost: hooks\\.example\\.:${port}\r\n`))
})

test('this machine goes by its names too, where it may be reached', async (t) => {
  const { port } = await answering(t, (socket) => socket.write(reply(200)))
  for (const name of ['localhost', 'LOCALHOST.', 'hooks.localhost', '127.1', '2130706433']) {
    assert.equal((await post(`http://${name}:${port}/`)).error, null, name)
  }
  const inner = senderOf(t, {
    targets: { allowHttp: true, loopback: false, networks: ['127.0.0.0/8'] },
  })
  assert.equal((await inner(`http://localhost:${port}/`)).error, null)
})

test('another address is tried if the first does not answer', async (t) => {
  const { port } = await answering(t, (socket) => socket.write(reply(200)))
  const send = senderOf(t, { resolve: async () => ['127.0.0.9', '::1', '127.0.0.1'] })
  assert.equal((await send(`http://hooks.example:${port}/`)).error, null)
})

test('what cannot be reached at all fails like the rest', async () => {
  for (const url of ['http://127.0.0.1:0/', 'http://h:0/', `http://${'a.'.repeat(200)}b/`]) {
    assert.match((await post(url)).error ?? '', /^(connection|dns)_failed$/, url)
  }
})

test('after the sender is closed nothing is sent', async (t) => {
  const { port, requests } = await answering(t, (socket) => socket.write(reply(200)))
  const { send, close } = sender({ targets: HERE, timeoutMs: 2_000 })
  const to = (host: string) => send({ url: `http://${host}:${port}/`, headers: {}, body: '{}' })
  assert.equal((await to('127.0.0.1')).error, null)
  await close()
  assert.equal((await to('127.0.0.1')).error, 'connection_failed')
  assert.equal((await to('localhost')).error, 'connection_failed')
  assert.equal(requests.length, 1)
})
