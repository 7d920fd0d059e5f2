import { createServer, isIPv4, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { type Reception, sender } from '#delivery/send.ts'
import { createWebhook } from '#resources/webhooks/contract.ts'
import { faultsOfTarget } from '#resources/webhooks/target.ts'
import { readerOf } from '#wire/read.ts'
import { innerUrls, misleadingUrls } from './ssrf-urls.ts'

/** Where an experiment takes place: in a network of its own all addresses lead to the one server. */
type Place = 'loopback' | 'everywhere'

/** What an experiment has found. */
export interface Found {
  probes: number
  /** Expectations that do not hold. */
  wrong: string[]
  /** Addresses behind the wall to which somebody connected. */
  hits: string[]
  /** The same when the client looks names up again after they were checked. */
  hitsOfControl: string[]
}

/** Stands for the addresses of the world, to which webhooks go. */
const ALLOWED = { loopback: '127.7.7.7', everywhere: '93.184.216.34' }
const CANARIES = ['127.0.0.1', '127.1.2.3', '127.255.255.254', '::1']
const INNER = ['127.0.0.1', '127.1.2.3', '10.0.0.5', '169.254.169.254', '::1', 'fd00:ec2::254']

/** Runs all probes; those by which an address behind the wall is reached are the ones that matter. */
export async function probe(place: Place): Promise<Found> {
  const allowed = ALLOWED[place]
  const targets = {
    allowHttp: true,
    loopback: false,
    networks: place === 'loopback' ? [`${allowed}/32`] : [],
  }
  const world = await listenTo(place)
  const { port } = world
  const meanings = new Map<string, () => readonly string[]>()
  const resolve = async (hostname: string) => meanings.get(hostname)?.() ?? []
  const { send, close } = sender({ targets, timeoutMs: 1_000, resolve })
  const found: Found = { probes: 0, wrong: [], hits: [], hitsOfControl: [] }
  const readWebhook = readerOf(createWebhook.body ?? {})

  const post = (url: string, headers: Record<string, string> = {}) => {
    found.probes += 1
    return send({ url, headers, body: '{}' })
  }
  const expect = (what: string, { error, duration_ms }: Reception, ...wanted: unknown[]) => {
    if (!wanted.includes(error)) found.wrong.push(`${what}: ${error}`)
    if (error === 'blocked_address' && duration_ms !== 0) found.wrong.push(`${what}: tells a time`)
  }
  const refusedAtCreate = (url: string) =>
    readWebhook({ url, events: ['*'] }).faults.length > 0 || faultsOfTarget(url, targets).length > 0

  const meaning = (name: string, ...answers: readonly (readonly string[])[]) => {
    let asked = 0
    meanings.set(name, () => answers[asked++ % answers.length] ?? [])
    return `http://${name}:${port}/`
  }

  expect('the allowed receiver', await post(`http://${allowed}:${port}/`), null)
  for (const url of innerUrls(port)) {
    if (!refusedAtCreate(url)) found.wrong.push(`${url} can be created`)
    expect(url, await post(url), 'blocked_address')
  }
  for (const url of misleadingUrls(port, allowed)) {
    expect(url, await post(url), 'blocked_address', 'dns_failed', null)
  }
  for (const address of INNER) {
    const mapped = isIPv4(address) ? `::ffff:${address}` : address
    for (const answer of [[address], [allowed, address], [address, allowed], [allowed, mapped]]) {
      const url = meaning('inner.example', answer)
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
    expect(`a name as ${odd}`, await post(meaning('odd.example', [odd])), 'blocked_address')
  }
  for (const name of ['metadata.google.internal', 'localtest.me', '127.0.0.1.nip.io']) {
    expect(name, await post(meaning(name, ['169.254.169.254'])), 'blocked_address')
  }

  // A name that means something else each time it is asked, also while a connection of it is kept.
  const rebound = meaning('rebound.example', [allowed], ['127.0.0.1'])
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
  found.hits = [...new Set(world.hits)]
  await close()

  world.hits.length = 0
  const again = meaning('rebound.example', [allowed], ['127.0.0.1'])
  for (let at = 0; at < 3; at += 1) await careless(again, allowed, resolve)
  found.hitsOfControl = [...new Set(world.hits)]
  world.close()
  return found
}

/** One server on all addresses, or on some of this machine, that notes who comes where. */
async function listenTo(place: Place) {
  const allowed = ALLOWED[place]
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
  for (const host of place === 'everywhere' ? ['::'] : [allowed, ...CANARIES]) {
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

/** Checks what a name means, and then has the client look it up again. */
async function careless(
  url: string,
  allowed: string,
  resolve: (hostname: string) => Promise<readonly string[]>,
) {
  const { origin, hostname } = new URL(url)
  if ((await resolve(hostname)).some((address) => address !== allowed)) return
  const client = new Client(origin, {
    connect: {
      lookup: (name, _options, done) => {
        resolve(name).then((found) =>
          done(
            null,
            found.map((address) => ({ address, family: 4 })),
          ),
        )
      },
    },
  })
  await client.request({ path: '/', method: 'POST' }).catch(() => {})
  await client.destroy()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const place = process.argv[2] === 'everywhere' ? 'everywhere' : 'loopback'
  console.log(JSON.stringify(await probe(place)))
}
