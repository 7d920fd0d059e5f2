import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setDefaultCACertificates, TLSSocket } from 'node:tls'
import { answering, reply } from '#test/support/answering.ts'
import { type Certificate, certificate } from '#test/support/certificate.ts'
import { sender } from './send.ts'

const authority = certificate({})
setDefaultCACertificates([authority.cert])

const HERE = { allowHttp: false, loopback: true, networks: [] }
const { send, close } = sender({
  targets: HERE,
  timeoutMs: 1_000,
  resolve: async () => ['127.0.0.1'],
})
after(close)

const post = (url: string) => send({ url, headers: {}, body: '{}' })
const ok = (socket: Socket) => socket.write(reply(200, 'ok'))
const good = certificate({ names: ['hooks.example'], issuer: authority })

const BAD: Record<string, [tls: Certificate, host: string]> = {
  'a certificate signed by itself': [certificate({ names: ['hooks.example'] }), 'hooks.example'],
  'a certificate of an authority that nobody knows': [
    certificate({ names: ['hooks.example'], issuer: certificate({}) }),
    'hooks.example',
  ],
  'a certificate for another name': [good, 'other.example'],
  'a certificate for a name where an address is asked for': [good, '127.0.0.1'],
  'a certificate for localhost where a name is asked for': [
    certificate({ names: ['localhost'], addresses: ['127.0.0.1'], issuer: authority }),
    'hooks.example',
  ],
  'an expired certificate': [
    certificate({ names: ['hooks.example'], issuer: authority, expired: true }),
    'hooks.example',
  ],
}

for (const [name, [tls, host]] of Object.entries(BAD)) {
  test(`${name} is a tls_error, and nothing is sent`, async (t) => {
    const { port, requests } = await answering(t, ok, { tls })
    const { status, body, error } = await post(`https://${host}:${port}/`)
    assert.deepEqual({ status, body, error }, { status: null, body: null, error: 'tls_error' })
    assert.equal(requests.length, 0)
  })
}

test('a receiver is known by the name in the URL, not by the address it has', async (t) => {
  const { port, requests, connections } = await answering(t, ok, {
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
    // Without the dot at its end, with which hosts of many names know none.
    assert.equal(socket.servername, 'hooks.example')
    assert.equal(socket.alpnProtocol, 'http/1.1')
  }
})

test('an address is verified as an address', async (t) => {
  const tls = certificate({ addresses: ['127.0.0.1'], issuer: authority })
  const { port } = await answering(t, ok, { tls })
  assert.equal((await post(`https://127.0.0.1:${port}/`)).error, null)
  assert.equal((await post(`https://127.0.0.2:${port}/`)).error, 'connection_failed')
})

test('the environment cannot turn verification off', async (t) => {
  const { port, requests } = await answering(t, ok, {
    tls: certificate({ names: ['hooks.example'] }),
  })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  assert.equal((await post(`https://hooks.example:${port}/`)).error, 'tls_error')
  assert.equal(requests.length, 0)
})

test('what speaks no TLS is a tls_error, and what never ends its handshake a timeout', async (t) => {
  const plain = await answering(t, ok)
  assert.equal((await post(`https://hooks.example:${plain.port}/`)).error, 'timeout')
  const { port, connections } = await answering(t, ok)
  const other = post(`https://hooks.example:${port}/`)
  while (connections.length === 0) await sleep(5)
  connections[0]?.end(reply(400, 'speak plainly'))
  assert.equal((await other).error, 'tls_error')
})
