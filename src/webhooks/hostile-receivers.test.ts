import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createWebhookSender } from './sender.ts'

const BODY_CHANNEL = 'undici:request:bodyChunkReceived'
const HERE = { loopback: true, networks: [] }
const { send, close } = createWebhookSender({ targets: HERE, timeoutMs: 60_000 })
after(close)
/** Of a sender whose timeout the tests wait for. */
const TIMEOUT_MS = 300
const brief = createWebhookSender({ targets: HERE, timeoutMs: TIMEOUT_MS })
after(brief.close)

const requestTo = (port: number) => ({
  url: `http://127.0.0.1:${port}/`,
  headers: {},
  body: '{}',
})
const post = (port: number) => send(requestTo(port))
const postBriefly = (port: number) => brief.send(requestTo(port))

/** Writes one character at a time until the other side closes. */
async function drip(socket: Socket, text: string, pause: number) {
  for (const character of text) {
    if (socket.destroyed) return
    socket.write(character)
    await sleep(pause)
  }
}

/** Waits until the receiver sees that every connection was closed. */
const untilClosed = (sockets: readonly Socket[]) =>
  waitUntil('the end of all connections', () => sockets.every((one) => one.destroyed))

/** Resolves once a sender receives a part of a response body. */
function receiveBodyChunk(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listen = () => {
    unsubscribe(BODY_CHANNEL, listen)
    resolve()
  }
  subscribe(BODY_CHANNEL, listen)
  return promise
}

const assertTimedOut = ({ duration_ms }: { duration_ms: number }) =>
  assert.ok(duration_ms >= TIMEOUT_MS - 1, `${duration_ms} ms`)

// Concurrent, because each waits for time to pass.
suite('slow receivers', { concurrency: true }, () => {
  test('reports a receiver that never responds as a timeout', async (t) => {
    const { port, connections } = await startRawServer(t, () => {})
    const reception = await postBriefly(port)
    assert.deepEqual([reception.status, reception.body, reception.error], [null, null, 'timeout'])
    assertTimedOut(reception)
    await untilClosed(connections)
  })

  test('reports a receiver that drips its headers as a timeout', async (t) => {
    const { port, connections } = await startRawServer(t, (socket) =>
      drip(socket, formatHttpReply(200, 'ok'), 50),
    )
    const reception = await postBriefly(port)
    assert.deepEqual([reception.status, reception.error], [null, 'timeout'])
    assertTimedOut(reception)
    await untilClosed(connections)
  })

  test('interim responses do not extend the timeout', async (t) => {
    let written = 0
    const { port } = await startRawServer(t, async (socket) => {
      for (; written < 15 && !socket.destroyed; written += 1) {
        socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')
        await sleep(TIMEOUT_MS / 10)
      }
    })
    const reception = await postBriefly(port)
    assert.equal(reception.error, 'timeout')
    assertTimedOut(reception)
    // The timeout comes before the last response on a slow machine too: both wait in one event
    // loop.
    assert.ok(written < 15, `${written} interim replies`)
  })
})

test('a dripping body after 200 is a success and is cut at the timeout', async (t) => {
  const { port, connections } = await startRawServer(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx'),
  )
  const clock = stopPerformanceClock(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pass = (ms: number) => {
    clock.pass(ms)
    t.mock.timers.tick(ms)
  }
  const first = receiveBodyChunk()
  const reception = postBriefly(port)
  await first
  pass(TIMEOUT_MS - 1)
  const second = receiveBodyChunk()
  connections[0]?.write('y')
  await second
  pass(1)
  const { status, error, body, duration_ms } = await reception
  assert.deepEqual([status, error, body, duration_ms], [200, null, 'xy', TIMEOUT_MS])
  t.mock.timers.reset()
  await untilClosed(connections)
})

test('limits connecting to 5 seconds and allows a response longer', async (t) => {
  stopPerformanceClock(t)
  const requested = Promise.withResolvers<Socket>()
  const { port } = await startRawServer(t, requested.resolve)
  const own = createWebhookSender({
    targets: HERE,
    timeoutMs: 10_000,
    resolve: () => new Promise(() => {}),
  })
  t.after(() => own.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ended: string[] = []
  const to = async (host: string) => {
    const { error } = await own.send({ url: `http://${host}/`, headers: {}, body: '' })
    ended.push(`${host} ${error}`)
  }
  const [slow, unknown] = [to(`127.0.0.1:${port}`), to('hooks.example')]
  const socket = await requested.promise
  t.mock.timers.tick(4_999)
  await setImmediate()
  assert.deepEqual(ended, [])
  t.mock.timers.tick(1)
  await unknown
  assert.deepEqual(ended, ['hooks.example dns_failed'])
  t.mock.timers.tick(300)
  socket.write(formatHttpReply(200))
  await slow
  assert.deepEqual(ended, ['hooks.example dns_failed', `127.0.0.1:${port} null`])
})

test('keeps the status when the body breaks off', async (t) => {
  const { port } = await startRawServer(t, (socket, request) => {
    const status = Number(/webhook-id: (\d+)/.exec(request)?.[1])
    // A reset discards what the other side has not read.
    void receiveBodyChunk().then(() => socket.resetAndDestroy())
    socket.write(`HTTP/1.1 ${status} X\r\nRetry-After: 5\r\nContent-Length: 1000\r\n\r\nhalf`)
  })
  for (const [status, error] of [
    [200, null],
    [500, 'http_status'],
    [302, 'redirect'],
  ] as const) {
    const headers = { 'webhook-id': String(status) }
    const reception = await send({ url: `http://127.0.0.1:${port}/`, headers, body: '{}' })
    const { duration_ms: _, ...rest } = reception
    assert.deepEqual(rest, { status, error, body: 'half', retry_after: '5' })
  }
})

test('reads 64 KiB of a huge body, keeps 2 KiB and closes the connection', async (t) => {
  let sent = 0
  const { port, connections } = await startRawServer(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${100 * 1024 * 1024}\r\n\r\n`)
    const chunk = Buffer.alloc(65_536, 'y')
    const more = () => {
      while (!socket.destroyed && sent < 100 * 1024 * 1024) {
        sent += chunk.length
        if (!socket.write(chunk)) return socket.once('drain', more)
      }
      return socket
    }
    more()
  })
  const reception = await post(port)
  assert.deepEqual([reception.status, reception.error], [200, null])
  assert.equal(reception.body, 'y'.repeat(2_048))
  await untilClosed(connections)
  assert.ok(sent < 20 * 1024 * 1024, `${sent} bytes went out`)
})

test('reads a body of 64 KiB completely and reuses its connection', async (t) => {
  // Idle connections end after 1.5 s, for which this process may stand still.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { port, connections } = await startRawServer(t, (socket) =>
    socket.write(formatHttpReply(200, 'z'.repeat(65_536))),
  )
  for (let at = 0; at < 4; at += 1) assert.equal((await post(port)).error, null)
  assert.ok(connections.length <= 2)
})

test('does not decompress responses', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const { port } = await startRawServer(t, (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`,
    )
    socket.write(bomb.subarray(0, 65_536))
  })
  const before = process.memoryUsage().rss
  const { status, body } = await post(port)
  assert.equal(status, 200)
  assert.equal(body?.charCodeAt(0), 0x1f)
  assert.ok(process.memoryUsage().rss - before < 30 * 1024 * 1024)
})

test('decodes responses to text that both databases accept', async (t) => {
  const { port } = await startRawServer(t, (socket, request) => {
    const bytes = request.includes('cut: 1')
      ? Buffer.from('é'.repeat(2_000)).subarray(1)
      : Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80, 0xc3])
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    socket.write(bytes)
  })
  assert.equal((await post(port)).body, 'a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd')
  const headers = { cut: '1' }
  const { body } = await send({ url: `http://127.0.0.1:${port}/`, headers, body: '{}' })
  assert.equal(body, `\ufffd${'é'.repeat(1_023)}`)
})

const GARBAGE = {
  'no HTTP at all': 'SSH-2.0-OpenSSH_9.6\r\n',
  'HTTP/0.9': '<html>hello</html>',
  'a status that is none': 'HTTP/1.1 abc OK\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'a length and chunks':
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'another protocol':
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n',
  'a thousand headers': `HTTP/1.1 200 OK\r\n${'X-Some-Header: b\r\n'.repeat(1_200)}\r\n`,
  'a long header': `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  'nothing before it closes': '',
}

for (const [name, bytes] of Object.entries(GARBAGE)) {
  test(`${name} is connection_failed`, async (t) => {
    const { port } = await startRawServer(t, (socket) => socket.end(bytes))
    const { status, body, error } = await post(port)
    assert.deepEqual(
      { status, body, error },
      { status: null, body: null, error: 'connection_failed' },
    )
  })
}

test('ignores an unsolicited response on a reused connection', async (t) => {
  const { port, connections } = await startRawServer(t, (socket, request) => {
    if (request.includes('first'))
      socket.write(formatHttpReply(200, 'mine') + formatHttpReply(200, 'smuggled'))
    else socket.write(formatHttpReply(200, 'yours'))
  })
  const url = `http://127.0.0.1:${port}/`
  assert.equal((await send({ url, headers: { 'x-which': 'first' }, body: '{}' })).body, 'mine')
  // The sender has read the second response, and closes its connection.
  await untilClosed(connections)
  assert.equal((await post(port)).body, 'yours')
})

test('fifty hanging receivers neither block others nor leak connections', async (t) => {
  const hanging = await startRawServer(t, () => {})
  const calm = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  // The timeout is longer than this test: waiting for the hanging receivers would never end.
  const own = createWebhookSender({ targets: HERE, timeoutMs: 3_600_000 })
  const to = ({ port }: { port: number }) =>
    own.send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })
  const hung = Array.from({ length: 50 }, () => to(hanging))
  await waitUntil('all requests', () => hanging.requests.length === 50)
  for (let at = 0; at < 100; at += 1) assert.equal((await to(calm)).error, null)
  await own.close()
  for (const { error } of await Promise.all(hung)) assert.equal(error, 'connection_failed')
  const later = await Promise.all(Array.from({ length: 50 }, () => postBriefly(hanging.port)))
  for (const { error } of later) assert.equal(error, 'timeout')
  await untilClosed(hanging.connections)
})

test('host names that never resolve do not block others', async (t) => {
  const { port } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  let lookups = 0
  const own = createWebhookSender({
    targets: HERE,
    timeoutMs: TIMEOUT_MS,
    resolve: (hostname) => {
      lookups += 1
      return hostname === 'calm.example' ? Promise.resolve(['127.0.0.1']) : new Promise(() => {})
    },
  })
  t.after(() => own.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const to = (host: string) => own.send({ url: `http://${host}:${port}/`, headers: {}, body: '' })
  assert.equal((await to('calm.example')).error, null)
  const hung = Array.from({ length: 100 }, (_, at) => to(`${at % 20}.example`))
  assert.equal((await to('calm.example')).error, null)
  t.mock.timers.tick(TIMEOUT_MS)
  for (const { error } of await Promise.all(hung)) assert.equal(error, 'dns_failed')
  assert.equal(lookups, 6, 'of the others four hold all the places that they may')
})
