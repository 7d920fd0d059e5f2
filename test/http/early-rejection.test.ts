import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'

const HOST = 'Host: 127.0.0.1\r\n'
const BODY = '{"name":"never read"}'
const JSON_BODY = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const REQUESTS = {
  'a GET': `GET /api/v1/projects HTTP/1.1\r\n${HOST}\r\n`,
  'of the web app': `GET /internal/views HTTP/1.1\r\n${HOST}\r\n`,
  'a HEAD': `HEAD /api/v1/projects HTTP/1.1\r\n${HOST}\r\n`,
  'a POST whose body nobody reads': `POST /api/v1/tasks HTTP/1.1\r\n${HOST}${JSON_BODY}`,
  'one that ends the connection': `GET /docs HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'an older client': 'GET /api/v1/projects HTTP/1.0\r\n\r\n',
}

/** Blocks the event loop repeatedly, after which most requests are rejected. */
async function overload() {
  for (let turn = 0; turn < 4; turn++) {
    const end = performance.now() + 350
    while (performance.now() < end);
    await pause(1)
  }
}

/** The 503 response to a request at a port, without the parts that differ between responses. */
async function rejectionAt(port: number, request: string): Promise<string> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (attempt % 10 === 9) await overload()
    const { replies, closed } = await exchangeRaw(port, request, { timeoutMs: 300, pauseMs: 0 })
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

/** A port whose requests go directly to Fastify, as those that another process hands over. */
async function portBehind(t: TestContext, serve: Parameters<typeof createServer>[1]) {
  const server = createServer({ keepAliveTimeout: 60_000, requireHostHeader: true }, serve)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('requests rejected before Fastify get the same bytes as Fastify would send', async (t) => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const earlyPort = await listenOnPort(server)
  const fastifyPort = await portBehind(t, server.routing)
  for (const [what, request] of Object.entries(REQUESTS)) {
    assert.equal(
      await rejectionAt(earlyPort, request),
      await rejectionAt(fastifyPort, request),
      what,
    )
  }
  const isCounted = async (labels: string) => {
    const { replies } = await exchangeRaw(earlyPort, `GET /metrics HTTP/1.1\r\n${HOST}\r\n`)
    const name = `docket_http_request_duration_seconds_count{${labels},status="503"}`
    return replies[0]?.body.includes(name)
  }
  assert.ok(await isCounted('method="GET",route="none"'), 'the early ones are measured')
  assert.ok(await isCounted('method="GET",route="/docs"'), 'and the late ones went far')
})

test('drains the body of a rejected request and keeps the connection open', async () => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  const health = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`
  const post = REQUESTS['a POST whose body nobody reads']
  for (let attempt = 0; ; attempt++) {
    assert.ok(attempt < 500, 'something is refused')
    // The first requests are accepted, and authentication rejects them.
    if (attempt % 10 === 5) await overload()
    const { replies } = await exchangeRaw(port, [post, health], { replies: 2 })
    assert.equal(replies[1]?.status, 200, 'health is told, on the same connection')
    if (replies[0]?.status === 503) break
    assert.equal(replies[0]?.status, 401)
  }
})

test('malformed requests get their own error even under overload', async () => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  await overload()
  for (let attempt = 0; attempt < 20; attempt++) {
    const { replies } = await exchangeRaw(port, `GET /api//v1 HTTP/1.1\r\n${HOST}\r\n`)
    assert.equal(replies[0]?.status, 404)
  }
})
