import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { answering, reply } from '#test/support/answering.ts'
import { until } from '#test/support/delivering.ts'
import { sender } from './send.ts'

const HERE = { allowHttp: false, loopback: true, networks: [] }
const TIMEOUT_MS = 300
const { send, close } = sender({ targets: HERE, timeoutMs: TIMEOUT_MS })
after(close)

const post = (port: number) => send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })

/** Writes on and on until the other side has enough. */
async function drip(socket: Socket, text: string, pause: number) {
  for (const character of text) {
    if (socket.destroyed) return
    socket.write(character)
    await sleep(pause)
  }
}

/** The receiver notices that the connection is gone, so it is not held. */
const gone = (sockets: readonly Socket[]) =>
  until('the end of all connections', () => sockets.every((one) => one.destroyed))

const late = ({ duration_ms }: { duration_ms: number }) =>
  assert.ok(duration_ms >= TIMEOUT_MS - 1, `${duration_ms} ms`)

// Beside each other: they wait for time to pass.
suite('a receiver that takes its time', { concurrency: true }, () => {
  test('a receiver that takes the request and says nothing is a timeout', async (t) => {
    const { port, connections } = await answering(t, () => {})
    const reception = await post(port)
    assert.deepEqual([reception.status, reception.body, reception.error], [null, null, 'timeout'])
    late(reception)
    await gone(connections)
  })

  test('a receiver that says its headers byte by byte is a timeout', async (t) => {
    const { port, connections } = await answering(t, (socket) => drip(socket, reply(200, 'ok'), 50))
    const reception = await post(port)
    assert.deepEqual([reception.status, reception.error], [null, 'timeout'])
    late(reception)
    await gone(connections)
  })

  test('interim replies do not lengthen the time', async (t) => {
    let written = 0
    const { port } = await answering(t, async (socket) => {
      for (; written < 15 && !socket.destroyed; written += 1) {
        socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')
        await sleep(TIMEOUT_MS / 10)
      }
    })
    const reception = await post(port)
    assert.equal(reception.error, 'timeout')
    late(reception)
    // The time is over before the last one, on a slow machine too: both wait in one loop.
    assert.ok(written < 15, `${written} interim replies`)
  })

  test('a body that drips after 200 keeps the success, and the slot no longer than others', async (t) => {
    const { port, connections } = await answering(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
      void drip(socket, 'x'.repeat(1_000), 20)
    })
    const reception = await post(port)
    assert.deepEqual([reception.status, reception.error], [200, null])
    assert.match(reception.body ?? '', /^x{1,20}$/)
    late(reception)
    await gone(connections)
  })
})

test('a connection has 5 seconds, and a reply over it longer', async (t) => {
  const asked = Promise.withResolvers<Socket>()
  const { port } = await answering(t, asked.resolve)
  const own = sender({
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
  const socket = await asked.promise
  t.mock.timers.tick(4_999)
  await setImmediate()
  assert.deepEqual(ended, [])
  t.mock.timers.tick(1)
  await unknown
  assert.deepEqual(ended, ['hooks.example dns_failed'])
  t.mock.timers.tick(300)
  socket.write(reply(200))
  await slow
  assert.deepEqual(ended, ['hooks.example dns_failed', `127.0.0.1:${port} null`])
})

test('a body that breaks off keeps the status, whatever it is', async (t) => {
  const { port } = await answering(t, (socket, request) => {
    const status = Number(/webhook-id: (\d+)/.exec(request)?.[1])
    socket.write(`HTTP/1.1 ${status} X\r\nRetry-After: 5\r\nContent-Length: 1000\r\n\r\nhalf`)
    setTimeout(() => socket.resetAndDestroy(), 20)
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

test('of a huge body 64 KiB are read, 2 KiB kept, and the connection is cut', async (t) => {
  let sent = 0
  const { port, connections } = await answering(t, (socket) => {
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
  await gone(connections)
  assert.ok(sent < 20 * 1024 * 1024, `${sent} bytes went out`)
})

test('a body of 64 KiB is read to its end, and its connection kept', async (t) => {
  const { port, connections } = await answering(t, (socket) =>
    socket.write(reply(200, 'z'.repeat(65_536))),
  )
  for (let at = 0; at < 4; at += 1) assert.equal((await post(port)).error, null)
  assert.ok(connections.length <= 2)
})

test('what is compressed stays so', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const { port } = await answering(t, (socket) => {
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

test('a reply becomes text that any database takes', async (t) => {
  const { port } = await answering(t, (socket, request) => {
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
    const { port } = await answering(t, (socket) => socket.end(bytes))
    const { status, body, error } = await post(port)
    assert.deepEqual(
      { status, body, error },
      { status: null, body: null, error: 'connection_failed' },
    )
  })
}

test('what comes unasked on a kept connection answers nothing', async (t) => {
  const { port } = await answering(t, (socket, request) => {
    if (request.includes('first')) socket.write(reply(200, 'mine') + reply(200, 'smuggled'))
    else socket.write(reply(200, 'yours'))
  })
  const url = `http://127.0.0.1:${port}/`
  assert.equal((await send({ url, headers: { 'x-which': 'first' }, body: '{}' })).body, 'mine')
  await sleep(50)
  assert.equal((await post(port)).body, 'yours')
})

test('fifty receivers that hang do not stop the others, and leave nothing behind', async (t) => {
  const hanging = await answering(t, () => {})
  const calm = await answering(t, (socket) => socket.write(reply(200)))
  // The time-out is longer than this test: a sender that waited for the hanging receivers would never end.
  const own = sender({ targets: HERE, timeoutMs: 3_600_000 })
  const to = ({ port }: { port: number }) =>
    own.send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })
  const hung = Array.from({ length: 50 }, () => to(hanging))
  await until('all to be asked', () => hanging.requests.length === 50)
  for (let at = 0; at < 100; at += 1) assert.equal((await to(calm)).error, null)
  await own.close()
  for (const { error } of await Promise.all(hung)) assert.equal(error, 'connection_failed')
  const late = await Promise.all(Array.from({ length: 50 }, () => post(hanging.port)))
  for (const { error } of late) assert.equal(error, 'timeout')
  await gone(hanging.connections)
})

test('names that nobody answers for do not stop others', async (t) => {
  const { port } = await answering(t, (socket) => socket.write(reply(200)))
  let lookups = 0
  const own = sender({
    targets: HERE,
    timeoutMs: TIMEOUT_MS,
    resolve: (hostname) => {
      lookups += 1
      return hostname === 'calm.example' ? Promise.resolve(['127.0.0.1']) : new Promise(() => {})
    },
  })
  t.after(() => own.close())
  const to = (host: string) => own.send({ url: `http://${host}:${port}/`, headers: {}, body: '' })
  assert.equal((await to('calm.example')).error, null)
  const hung = Array.from({ length: 100 }, (_, at) => to(`${at % 20}.example`))
  assert.equal((await to('calm.example')).error, null)
  for (const { error } of await Promise.all(hung)) assert.equal(error, 'dns_failed')
  assert.equal(lookups, 6, 'of the others four hold all the places that they may')
})
