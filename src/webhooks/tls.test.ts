import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setDefaultCACertificates, TLSSocket } from 'node:tls'
import { createCertificate, type TestCertificate } from '#test/support/services/certificate.ts'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { createWebhookSender } from './sender.ts'

const authority = createCertificate({})
setDefaultCACertificates([authority.cert])

const HERE = { loopback: true, networks: [] }
const createSender = (timeoutMs: number) =>
  createWebhookSender({ targets: HERE, timeoutMs, resolve: async () => ['127.0.0.1'] })
const [{ send, close }, brief] = [createSender(60_000), createSender(1_000)]
after(close)
after(brief.close)

const post = (url: string) => send({ url, headers: {}, body: '{}' })
const ok = (socket: Socket) => socket.write(formatHttpReply(200, 'ok'))
const good = createCertificate({ names: ['hooks.example'], issuer: authority })

const BAD: Record<string, [tls: TestCertificate, host: string]> = {
  'a certificate signed by itself': [
    createCertificate({ names: ['hooks.example'] }),
    'hooks.example',
  ],
  'a certificate of an unknown authority': [
    createCertificate({ names: ['hooks.example'], issuer: createCertificate({}) }),
    'hooks.example',
  ],
  'a certificate for another name': [good, 'other.example'],
  'a certificate for a name at an IP address': [good, '127.0.0.1'],
  'a certificate for localhost at another name': [
    createCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], issuer: authority }),
    'hooks.example',
  ],
  'an expired certificate': [
    createCertificate({ names: ['hooks.example'], issuer: authority, expired: true }),
    'hooks.example',
  ],
}

for (const [name, [tls, host]] of Object.entries(BAD)) {
  test(`reports ${name} as tls_error and sends nothing`, async (t) => {
    const { port, requests } = await startRawServer(t, ok, { tls })
    const { status, body, error } = await post(`https://${host}:${port}/`)
    assert.deepEqual({ status, body, error }, { status: null, body: null, error: 'tls_error' })
    assert.equal(requests.length, 0)
  })
}

test('verifies the certificate against the host name of the URL', async (t) => {
  const { port, requests, connections } = await startRawServer(t, ok, {
    tls: { ...good, ALPNProtocols: ['h2', 'http/1.1'] },
  })
  for (const host of ['hooks.example', 'HOOKS.example.', 'hooks.example']) {
    const { status, error } = await post(`https://${host}:${port}/`)
    assert.deepEqual({ status, error }, { status: 200, error: null })
  }
  assert.equal(requests.length, 3)
  assert.ok(connections.length <= 3)
  for (const socket of connections) {
    assert.ok(socket instanceof TLSSocket)
    // Without the trailing dot, which virtual hosts do not recognize.
    assert.equal(socket.servername, 'hooks.example')
    assert.equal(socket.alpnProtocol, 'http/1.1')
  }
})

test('verifies an IP address against the addresses of the certificate', async (t) => {
  const tls = createCertificate({ addresses: ['127.0.0.1'], issuer: authority })
  const { port } = await startRawServer(t, ok, { tls })
  assert.equal((await post(`https://127.0.0.1:${port}/`)).error, null)
  assert.equal((await post(`https://127.0.0.2:${port}/`)).error, 'connection_failed')
})

test('ignores NODE_TLS_REJECT_UNAUTHORIZED', async (t) => {
  const { port, requests } = await startRawServer(t, ok, {
    tls: createCertificate({ names: ['hooks.example'] }),
  })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  assert.equal((await post(`https://hooks.example:${port}/`)).error, 'tls_error')
  assert.equal(requests.length, 0)
})

test('reports a receiver without TLS as tls_error and an unfinished handshake as timeout', async (t) => {
  const plain = await startRawServer(t, ok)
  const url = `https://hooks.example:${plain.port}/`
  assert.equal((await brief.send({ url, headers: {}, body: '{}' })).error, 'timeout')
  const { port, connections } = await startRawServer(t, ok)
  const other = post(`https://hooks.example:${port}/`)
  while (connections.length === 0) await sleep(5)
  connections[0]?.end(formatHttpReply(400, 'speak plainly'))
  assert.equal((await other).error, 'tls_error')
})
