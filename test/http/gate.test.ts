import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { docketOn } from '../support/engines.ts'
import { exchange, portOf } from '../support/socket.ts'

const HOST = 'Host: 127.0.0.1\r\n'
const BODY = '{"name":"never read"}'
const JSON_BODY = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const REQUESTS = {
  'a GET': `GET /api/v1/projects HTTP/1.1\r\n${HOST}\r\n`,
  'of the web app': `GET /internal/views HTTP/1.1\r\n${HOST}\r\n`,
  'a HEAD': `HEAD /api/v1/projects HTTP/1.1\r\n${HOST}\r\n`,
  'a POST whose body nobody reads': `POST /api/v1/projects HTTP/1.1\r\n${HOST}${JSON_BODY}`,
  'one that ends the connection': `GET /docs HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'an older client': 'GET /api/v1/projects HTTP/1.0\r\n\r\n',
}

/** Keeps the event loop from turning, again and again: what comes next is refused for the most part. */
async function overload() {
  for (let turn = 0; turn < 4; turn++) {
    const end = performance.now() + 350
    while (performance.now() < end);
    await pause(1)
  }
}

/** A refusal of a request at a port, without what differs from one to the next. */
async function refusalAt(port: number, request: string): Promise<string> {
  for (let asked = 0; asked < 500; asked++) {
    if (asked % 10 === 9) await overload()
    const { replies, closed } = await exchange(port, request, { patience: 300, pause: 0 })
    const [reply] = replies
    if (reply?.status !== 503) continue
    const { date, 'x-request-id': id = '', ...headers } = reply.headers
    assert.match(date ?? '', /GMT$/)
    assert.match(id, /^req_[0-9a-z]{26}$/)
    const body = reply.body.replace(id, 'the id')
    return JSON.stringify([Object.entries(headers), body, closed], null, 1)
  }
  throw new Error('Nothing was refused')
}

/** A port at which the framework takes requests by itself, as those that another process hands over. */
async function portBehind(t: TestContext, serve: Parameters<typeof createServer>[1]) {
  const server = createServer({ keepAliveTimeout: 60_000, requireHostHeader: true }, serve)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('what is refused at the gate gets the bytes that the framework would send', async (t) => {
  const { server } = await docketOn('sqlite', {}, { sheds: true })
  const early = await portOf(server)
  const late = await portBehind(t, server.routing)
  for (const [what, request] of Object.entries(REQUESTS)) {
    assert.equal(await refusalAt(early, request), await refusalAt(late, request), what)
  }
  const counted = async (labels: string) => {
    const { replies } = await exchange(early, `GET /metrics HTTP/1.1\r\n${HOST}\r\n`)
    const name = `docket_http_request_duration_seconds_count{${labels},status="503"}`
    return replies[0]?.body.includes(name)
  }
  assert.ok(await counted('method="GET",route="none"'), 'the early ones are measured')
  assert.ok(await counted('method="GET",route="/docs"'), 'and the late ones went far')
})

test('a refused request leaves its connection to the next, its body taken away', async () => {
  const { server } = await docketOn('sqlite', {}, { sheds: true })
  const port = await portOf(server)
  const health = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`
  const post = REQUESTS['a POST whose body nobody reads']
  for (let asked = 0; ; asked++) {
    assert.ok(asked < 500, 'something is refused')
    if (asked % 10 === 0) await overload()
    const { replies } = await exchange(port, [post, health], { replies: 2 })
    assert.equal(replies[1]?.status, 200, 'health is told, on the same connection')
    if (replies[0]?.status === 503) break
    assert.equal(replies[0]?.status, 401)
  }
})

test('a malformed request is told what is wrong with it, however much there is to do', async () => {
  const { server } = await docketOn('sqlite', {}, { sheds: true })
  const port = await portOf(server)
  await overload()
  for (let asked = 0; asked < 20; asked++) {
    const { replies } = await exchange(port, `GET /api//v1 HTTP/1.1\r\n${HOST}\r\n`)
    assert.equal(replies[0]?.status, 404)
  }
})
