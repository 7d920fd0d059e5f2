import { createServer, isIPv4, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createWebhook } from '#resources/webhooks/contract.ts'
import { validateWebhookTarget } from '#resources/webhooks/operations.ts'
import { type AttemptResult, createWebhookSender } from '#webhooks/sender.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { misleadingHostUrls, privateAddressUrls } from './ssrf-urls.ts'

/** The network of an experiment. In `everywhere`, all addresses lead to the one server. */
type SsrfNetwork = 'loopback' | 'everywhere'

/** The result of an experiment. */
export interface SsrfResult {
  probes: number
  /** Expectations that did not hold. */
  wrong: string[]
  /** Blocked addresses that received a connection. */
  hits: string[]
}

/** Stands for the public addresses that webhooks may be sent to. */
const ALLOWED_ADDRESS = { loopback: '127.7.7.7', everywhere: '93.184.216.34' }
const BLOCKED_LOOPBACK = ['127.0.0.1', '127.1.2.3', '127.255.255.254', '::1']
const BLOCKED_ADDRESSES = [
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.5',
  '169.254.169.254',
  '::1',
  'fd00:ec2::254',
]

/** Runs all probes and records which of them reach a blocked address. */
export async function probeSsrf(network: SsrfNetwork): Promise<SsrfResult> {
  const allowed = ALLOWED_ADDRESS[network]
  const targets = {
    loopback: false,
    networks: [`${allowed}/32`],
  }
  const listener = await startServer(network)
  const { port } = listener
  const dnsAnswers = new Map<string, () => readonly string[]>()
  const resolve = async (hostname: string) => dnsAnswers.get(hostname)?.() ?? []
  const { send, close } = createWebhookSender({ targets, timeoutMs: 60_000, resolve })
  const result: SsrfResult = { probes: 0, wrong: [], hits: [] }
  const readWebhook = createSchemaParser(createWebhook.body ?? {})

  const post = (url: string, headers: Record<string, string> = {}) => {
    result.probes += 1
    return send({ url, headers, body: '{}' })
  }
  const expect = (
    what: string,
    { error, duration_ms }: AttemptResult,
    ...allowedErrors: unknown[]
  ) => {
    if (!allowedErrors.includes(error)) result.wrong.push(`${what}: ${error}`)
    if (error === 'blocked_address' && duration_ms !== 0) result.wrong.push(`${what}: tells a time`)
  }
  const isRefusedAtCreate = (url: string) =>
    readWebhook({ url, events: ['*'] }).errors.length > 0 ||
    validateWebhookTarget(url, targets).length > 0

  const resolveTo = (name: string, ...answers: readonly (readonly string[])[]) => {
    let asked = 0
    dnsAnswers.set(name, () => answers[asked++ % answers.length] ?? [])
    return `http://${name}:${port}/`
  }

  expect('the allowed receiver', await post(`http://${allowed}:${port}/`), null)
  for (const url of privateAddressUrls(port)) {
    if (!isRefusedAtCreate(url)) result.wrong.push(`${url} can be created`)
    expect(url, await post(url), 'blocked_address')
  }
  for (const url of misleadingHostUrls(port, allowed)) {
    expect(url, await post(url), 'blocked_address', 'dns_failed', null)
  }
  for (const address of BLOCKED_ADDRESSES) {
    const mapped = isIPv4(address) ? `::ffff:${address}` : address
    for (const answer of [[address], [allowed, address], [address, allowed], [allowed, mapped]]) {
      const url = resolveTo('inner.example', answer)
      expect(`${url} as ${answer}`, await post(url), 'blocked_address')
    }
  }
  for (const odd of [
    'fe80::1%lo',
    '::1%lo',
    'localhost',
    '0x7f000001',
    '127.1',
    '',
    '127.0.0.1 ',
  ]) {
    expect(`a name as ${odd}`, await post(resolveTo('odd.example', [odd])), 'blocked_address')
  }
  for (const name of ['metadata.google.internal', 'localtest.me', '127.0.0.1.nip.io']) {
    expect(name, await post(resolveTo(name, ['169.254.169.254'])), 'blocked_address')
  }

  // A name that resolves differently each time, also while a connection to it is kept open.
  const rebound = resolveTo('rebound.example', [allowed], ['127.0.0.1'])
  for (let at = 0; at < 20; at += 1) {
    expect('rebinding', await post(rebound), at % 2 === 0 ? null : 'blocked_address')
  }
  for (const reception of await Promise.all(Array.from({ length: 20 }, () => post(rebound)))) {
    expect('rebinding at once', reception, null, 'blocked_address')
  }
  for (const status of [301, 302, 303, 307, 308, 300, 304]) {
    for (const host of ['127.0.0.1', '[::1]', '2130706433', 'localhost']) {
      const path = `${status}/${encodeURIComponent(`http://${host}:${port}/`)}`
      expect(`${status}`, await post(`http://${allowed}:${port}/${path}`), 'redirect')
    }
  }
  for (const [status, error] of [
    [200, null],
    [401, 'http_status'],
    [407, 'http_status'],
  ] as const) {
    const path = `${status}/${encodeURIComponent(`http://127.0.0.1:${port}/`)}`
    expect(`${status}`, await post(`http://${allowed}:${port}/${path}`), error)
  }
  for (const host of ['127.0.0.1', `localhost:${port}`, 'metadata.google.internal']) {
    expect('a forged Host', await post(`http://${allowed}:${port}/`, { Host: host }), null)
    expect(
      'a forged Host',
      await post(`http://127.0.0.1:${port}/`, { Host: allowed }),
      'blocked_address',
    )
  }
  result.hits = [...new Set(listener.hits)]
  await close()
  listener.close()
  return result
}

/** Starts a server on all addresses, or on some of this machine, that records its connections. */
async function startServer(network: SsrfNetwork) {
  const allowed = ALLOWED_ADDRESS[network]
  const hits: string[] = []
  const sockets: Socket[] = []
  const serve = (socket: Socket) => {
    sockets.push(socket)
    const address = (socket.localAddress ?? '').replace('::ffff:', '')
    if (address !== allowed) hits.push(address)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const [, status = '200', to = ''] = /^POST \/(\d+)\/(\S+)/.exec(chunk.toString()) ?? []
      const where = decodeURIComponent(to)
      const headers = `Location: ${where}\r\nRefresh: 0; url=${where}\r\nLink: <${where}>; rel=next`
      socket.write(`HTTP/1.1 ${status} X\r\n${headers}\r\nContent-Length: 0\r\n\r\n`)
    })
  }
  const servers: Server[] = []
  let port = 0
  // The first address chooses the port: others on this machine use 127.0.0.1, but hardly the rest.
  for (const host of network === 'everywhere' ? ['::'] : [...BLOCKED_LOOPBACK, allowed]) {
    const server = createServer(serve)
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    const address = server.address()
    port = typeof address === 'object' && address ? address.port : 0
    servers.push(server)
  }
  const close = () => {
    for (const one of servers) one.close()
    for (const one of sockets) one.destroy()
  }
  return { port, hits, close }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const network = process.argv[2] === 'everywhere' ? 'everywhere' : 'loopback'
  console.log(JSON.stringify(await probeSsrf(network)))
}
