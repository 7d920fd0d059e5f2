import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listenOn } from '#http/server/listen.ts'
import { createApp } from '#server/app.ts'
import { openTestDocket, testLog } from '../support/engines/test-docket.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Both are loopback addresses, with IPv6 or without. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2']

/** Lets `localhost` have two addresses, as it has with IPv6. */
function setAddressesOfLocalhost(t: TestContext): void {
  type Callback = (error: null, address: unknown, family?: number) => void
  t.mock.method(dns, 'lookup', (host: string, { all }: { all?: boolean }, done: Callback) => {
    const addresses = host === 'localhost' ? ADDRESSES : [host]
    if (all)
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    else done(null, addresses[0], 4)
  })
}

const startServer = async (t: TestContext, maxConnections = 100) => {
  setAddressesOfLocalhost(t)
  const { storage, config } = await openTestDocket('sqlite')
  const { server } = await createApp(storage, config, TEST_SECRET, testLog, undefined, {
    sheds: false,
  })
  t.after(() => server.close())
  server.server.maxConnections = maxConnections
  const url = await listenOn(server, { host: 'localhost', port: 0 }, (_, error) =>
    assert.fail(String(error)),
  )
  return { server, port: Number(new URL(url).port) }
}

test('all addresses of localhost share the limit of connections', async (t) => {
  const { port } = await startServer(t, 6)
  const sockets: { socket: Socket; status: string | undefined }[] = []
  t.after(() => {
    for (const { socket } of sockets) socket.destroy()
  })
  for (const address of ADDRESSES) {
    for (let n = 0; n < 10; n += 1) {
      const one = { socket: connect(port, address), status: undefined as string | undefined }
      sockets.push(one)
      one.socket.on('data', (bytes) => {
        one.status = String(bytes).slice(9, 12)
      })
      one.socket.on('error', () => {})
      one.socket.on('close', () => {
        one.status ??= 'closed'
      })
      one.socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    }
  }
  await waitUntil('all to be served or closed', () =>
    sockets.every(({ status }) => status !== undefined),
  )
  const served = sockets.filter(({ status }) => status === '200')
  assert.equal(served.length, 6)
})

test('a stop completes requests of every address', async (t) => {
  const { server, port } = await startServer(t)
  let begun = 0
  server.server.on('request', () => {
    begun += 1
  })
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong' })
  const requests = ADDRESSES.map((address) => {
    const socket = connect(port, address)
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
    })
    socket.write(
      `POST /internal/session HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1:4000\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    return { socket, text: () => text }
  })
  await waitUntil('both requests', () => begun === ADDRESSES.length)
  let hasClosed = false
  const closing = server.close().then(() => {
    hasClosed = true
  })
  await waitUntil('no further connection', async () => !(await canConnect(port, ADDRESSES[1])))
  assert.equal(hasClosed, false)
  for (const { socket } of requests) socket.write(body)
  await waitUntil('both replies', () => requests.every(({ text }) => text() !== ''))
  for (const { socket, text } of requests) {
    assert.match(text(), /^HTTP\/1\.1 401 /)
    socket.destroy()
  }
  await closing
})

const canConnect = async (port: number, address = ''): Promise<boolean> => {
  const socket = connect(port, address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
