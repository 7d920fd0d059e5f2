import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createPinnedConnector, createWebhookSender, WebhookConnectionError } from './sender.ts'

const HERE = { loopback: true, networks: [] }

/** A sender that resolves every name to this machine. */
function openSender(t: { after(undo: () => void): void }) {
  const own = createWebhookSender({
    targets: HERE,
    timeoutMs: 60_000,
    resolve: async () => ['127.0.0.1'],
  })
  t.after(() => own.close())
  return (url: string) => own.send({ url, headers: {}, body: '{}' })
}

test('keeps a bounded number of idle connections, and none for long', async (t) => {
  const { port, connections } = await startRawServer(t, (socket) => {
    socket.write(formatHttpReply(200, 'x', { 'Keep-Alive': 'timeout=60' }))
  })
  const post = openSender(t)
  const open = () => connections.filter((socket) => !socket.destroyed).length
  let maxOpen = 0
  for (let n = 0; n < 300; n += 1) {
    assert.equal((await post(`http://h${n}.example:${port}/`)).error, null)
    maxOpen = Math.max(maxOpen, open())
  }
  // The receiver sees the end of a connection a moment later.
  assert.ok(maxOpen > 10 && maxOpen < 300, `${maxOpen} at once`)
  // The receiver would keep them for a minute.
  await waitUntil('the end of all', () => open() === 0)
})

test('reuses a connection only while the name resolves to its address', async (t) => {
  const { port } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  let resolved = ['127.0.0.1']
  const own = createWebhookSender({
    targets: HERE,
    timeoutMs: 60_000,
    resolve: async () => resolved,
  })
  t.after(() => own.close())
  const post = () => own.send({ url: `http://h.example:${port}/`, headers: {}, body: '{}' })
  assert.equal((await post()).error, null)
  resolved = ['127.0.0.2']
  assert.equal((await post()).error, 'connection_failed')
  resolved = ['127.0.0.1']
  assert.equal((await post()).error, null)
})

test('refuses a connection to an address that is not allowed', async (t) => {
  const { port, requests } = await startRawServer(t, (socket) => socket.write(formatHttpReply(200)))
  const reachable = { loopback: false, networks: [] }
  const target = { origin: `http://h.example:${port}`, hostname: 'h.example', path: '/' }
  const connect = createPinnedConnector(
    { ...target, addresses: undefined, reachable },
    ['127.0.0.1'],
    1_000,
  )
  const error = await new Promise((resolve) => {
    connect({ hostname: 'h.example', protocol: 'http:', port: String(port) }, (...[failed]) => {
      resolve(failed)
    })
  })
  assert.ok(error instanceof WebhookConnectionError)
  assert.equal(error.failure, 'blocked_address')
  assert.equal(requests.length, 0)
})
