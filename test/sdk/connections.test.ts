import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCertificate } from '#test/support/services/certificate.ts'
import { startRawServer } from '#test/support/services/raw-server.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { listenUntilEnd } from '#test/support/system/listen-until-end.ts'
import { describeConnectionFailure, readRetryAfter } from '../../sdk/src/errors.ts'
import {
  createComment,
  Docket,
  type DocketOptions,
  downloadAttachment,
  getMe,
} from '../../sdk/src/index.ts'
import { proxyFor } from '../../sdk/src/proxy.ts'

const createDocket = (baseUrl: string, options: Partial<DocketOptions> = {}) =>
  new Docket({ baseUrl, token: 'dkt_x', maxRetries: 0, ...options })

test('says why a connection failed, with the address and the cause', async (t) => {
  const refused = `http://127.0.0.1:${await findFreePort()}`
  await assert.rejects(getMe(createDocket(refused)), (error: Error & { code: string }) => {
    const { code, message, cause } = error
    assert.equal(code, 'network_error')
    const reason = 'the connection was refused, nothing listens there'
    const place = `(127.0.0.1 port ${new URL(refused).port})`
    assert.equal(message, `No answer from ${refused} to GET /api/v1/me: ${reason} ${place}`)
    return cause instanceof TypeError
  })
  const server = await startRawServer(t, () => {}, {
    tls: createCertificate({ addresses: ['127.0.0.1'] }),
  })
  const selfSigned = createDocket(`https://127.0.0.1:${server.port}`)
  await assert.rejects(getMe(selfSigned), {
    message: /: its certificate comes without .* \(UNABLE_TO_VERIFY/,
  })
  const plain = await startRawServer(t, (socket) => socket.end(), {})
  await assert.rejects(getMe(createDocket(`http://127.0.0.1:${plain.port}`)), {
    message: /the connection was closed before the reply/,
  })
  const thrownFor = (code: string, more: object = {}) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code, ...more }) })
  for (const [thrown, reason] of [
    [thrownFor('ENOTFOUND', { hostname: 'docket.invalid' }), /no such host name.*docket\.invalid/],
    [thrownFor('ERR_TLS_CERT_ALTNAME_INVALID'), /certificate is that of another host name/],
    [thrownFor('UND_ERR_CONNECT_TIMEOUT'), /timed out/],
    [thrownFor('constructor'), /^x$/],
    [new TypeError('Failed to fetch'), /^Failed to fetch$/],
    [new TypeError('fetch failed', { cause: new AggregateError([new Error('one')]) }), /^one$/],
    ['text', /^text$/],
  ] as const) {
    assert.match(describeConnectionFailure(thrown), reason)
  }
})

test('sends requests through the proxies of the environment', async (t) => {
  const authority = createCertificate({})
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, authority.cert])
  t.after(() => setDefaultCACertificates(before))
  const answer = JSON.stringify({ user: { name: 'Ada' } })
  const tls = createCertificate({ names: ['localhost'], issuer: authority })
  const secure = await listenUntilEnd(
    t,
    createTlsServer(tls, (_, response) => response.end(answer)),
  )
  const requests: string[] = []
  const proxy = createServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url} ${headers['proxy-authorization']}`)
    response.end(answer)
  })
  proxy.on('connect', ({ method, url }, client: Socket) => {
    requests.push(`${method} ${url}`)
    const server = connect(secure, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      server.pipe(client).pipe(server)
    })
    for (const socket of [server, client]) socket.on('error', () => socket.destroy())
    client.on('close', () => server.destroy())
  })
  const port = await listenUntilEnd(t, proxy)
  const variables = {
    HTTP_PROXY: `http://ada:100%p%40ss@127.0.0.1:${port}`,
    HTTPS_PROXY: `127.0.0.1:${port}`,
    NO_PROXY: 'direct.localhost',
  }
  Object.assign(process.env, variables)
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name]
  })

  const docket = createDocket('http://docket.example')
  assert.equal((await getMe(docket)).user.name, 'Ada')
  await createComment(docket, 'ENG-1', { body: 'Said' })
  const overTls = createDocket(`https://localhost:${secure}`)
  await getMe(overTls)
  assert.equal((await getMe(overTls)).user.name, 'Ada')
  const basic = `Basic ${btoa('ada:100%p@ss')}`
  assert.deepEqual(requests, [
    `GET http://docket.example/api/v1/me ${basic}`,
    `POST http://docket.example/api/v1/tasks/ENG-1/comments ${basic}`,
    `CONNECT localhost:${secure}`,
  ])
  const direct = createDocket(`http://direct.localhost:${await findFreePort()}`)
  await assert.rejects(getMe(direct), { code: 'network_error' })
  assert.equal(requests.length, 3)
  // One that takes a request for a tunnel and never answers holds no call.
  proxy.removeAllListeners('connect').on('connect', (_request, client: Socket) => {
    t.after(() => client.destroy())
  })
  const held = createDocket('https://held.example', { timeoutMs: 300 })
  await assert.rejects(getMe(held), { code: 'network_error', message: /300 ms have passed/ })
  const { signal, abort } = createAbort()
  const call = assert.rejects(getMe(createDocket('https://held.example'), { signal }), {
    name: 'AbortError',
  })
  await once(proxy, 'connect')
  abort()
  await call
  // A proxy that is away is named.
  process.env.HTTP_PROXY = `http://127.0.0.1:${await findFreePort()}`
  const proxyPort = new URL(process.env.HTTP_PROXY).port
  await assert.rejects(getMe(docket), { message: new RegExp(`refused.*port ${proxyPort}`) })
})

test('reads the variables of proxies as curl does', () => {
  const https_proxy = 'http://proxy.example:3128'
  for (const [address, no_proxy, isProxied] of [
    ['https://docket.example.com', '', true],
    ['https://docket.example.com', '*', false],
    ['https://docket.example.com', 'localhost, example.com', false],
    ['https://docket.example.com', '.EXAMPLE.com', false],
    ['https://docket.example.com', '*.example.com', false],
    ['https://docket.example.com', 'ample.com', true],
    ['https://docket.example.com', 'example.com:8443', true],
    ['https://docket.example.com:8443', 'example.com:8443', false],
    ['https://[::1]:8443', '[::1]:8443', false],
    ['https://[::1]', '::1', false],
    ['http://docket.example.com', '', false],
  ] as const) {
    const proxy = proxyFor(new URL(address), { https_proxy, no_proxy })
    assert.equal(proxy !== undefined, isProxied, `${address} ${no_proxy}`)
  }
  const socks = { HTTPS_PROXY: 'socks5://proxy.example' }
  assert.throws(() => proxyFor(new URL('https://a.example'), socks), /HTTPS_PROXY must be/)
})

test('a download may last longer than the time of a request, but not stand still for it', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n'
  let send: (text: string) => void = () => {}
  const server = await startRawServer(t, (socket) => {
    send = (text) => socket.write(text)
    socket.write(head)
  })
  const docket = createDocket(`http://127.0.0.1:${server.port}`, { timeoutMs: 300 })
  const { body } = await downloadAttachment(docket, 'att_1')
  const reader = body?.getReader()
  // Only the time that a reader waits counts, so a slow reader loses nothing.
  await new Promise((resolve) => setTimeout(resolve, 400))
  for (let at = 0; at < 3; at += 1) {
    send('1\r\nx\r\n')
    assert.equal((await reader?.read())?.value?.length, 1)
  }
  await assert.rejects(async () => reader?.read(), {
    code: 'network_error',
    message: /the content has stood still for 300 ms/,
  })
  const controller = new AbortController()
  const second = await downloadAttachment(docket, 'att_1', { signal: controller.signal })
  const reading = second.text()
  controller.abort(new Error('no longer needed'))
  await assert.rejects(reading, { message: 'no longer needed' })
})

test('waits no longer than a timer can', () => {
  const retryAfter = (text: string) => readRetryAfter(new Headers({ 'retry-after': text }))
  for (const text of ['99999999', 'Thu, 31 Dec 2099 00:00:00 GMT']) {
    assert.equal(retryAfter(text), 24 * 3_600_000)
  }
  assert.equal(retryAfter('7'), 7_000)
})

test('writes from a page of http, which has no crypto.randomUUID', async (t) => {
  const { randomUUID } = crypto
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
  t.after(() => Object.defineProperty(crypto, 'randomUUID', { value: randomUUID }))
  const keys: (string | null)[] = []
  const docket = createDocket('http://docket.example', {
    async fetch(_input, init) {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return new Response('{}')
    },
  })
  await createComment(docket, 'ENG-1', { body: 'One' })
  await createComment(docket, 'ENG-1', { body: 'Two' })
  assert.match(keys.join(), /^[0-9a-f]{32},[0-9a-f]{32}$/)
  assert.notEqual(keys[0], keys[1])
})

function createAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
