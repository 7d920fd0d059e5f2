import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'

const HOST = 'Host: 127.0.0.1\r\n'
const BODY = '{"name":"never read"}'
const JSON_BODY = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const POST = `POST /api/v1/tasks HTTP/1.1\r\n${HOST}${JSON_BODY}`
/** Each of a path that exists, and the same of one that does not. */
const REQUESTS: Record<string, (suffix?: string) => string> = {
  'a GET': (suffix = '') => `GET /api/v1/projects${suffix} HTTP/1.1\r\n${HOST}\r\n`,
  'of the web app': (suffix = '') => `GET /internal/views${suffix} HTTP/1.1\r\n${HOST}\r\n`,
  'a HEAD': (suffix = '') => `HEAD /api/v1/projects${suffix} HTTP/1.1\r\n${HOST}\r\n`,
  'a POST whose body nobody reads': (suffix = '') => POST.replace('/tasks', `/tasks${suffix}`),
  'one that ends the connection': (suffix = '') =>
    `GET /api/v1/tasks${suffix} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'an older client': (suffix = '') => `GET /api/v1/projects${suffix} HTTP/1.0\r\n\r\n`,
}

/** Blocks the event loop repeatedly, after which most requests are rejected. */
async function overload() {
  for (let turn = 0; turn < 3; turn++) {
    const end = performance.now() + 600
    while (performance.now() < end);
    await pause(1)
  }
}

/** Sends a request until the reply has the status. */
async function replyWith(status: number, port: number, request: string) {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (status === 503 && attempt % 10 === 9) await overload()
    const { replies, closed } = await exchangeRaw(port, request, { pauseMs: 0 })
    const [reply] = replies
    if (reply?.status !== status) continue
    const { date, 'x-request-id': id = '', 'content-length': length, ...headers } = reply.headers
    assert.match(date ?? '', /GMT$/)
    assert.match(id, /^req_[0-9a-z]{26}$/)
    const isHead = request.startsWith('HEAD')
    assert.equal(isHead ? '' : length, isHead ? reply.body : String(reply.body.length))
    return { headers, body: reply.body.replace(id, 'the id'), closed }
  }
  throw new Error(`No reply had status ${status}`)
}

test('a refused request gets the headers and the body of every error, and Retry-After', async () => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  for (const [what, request] of Object.entries(REQUESTS)) {
    const usual = await replyWith(404, port, request('/nothing/here'))
    const refused = await replyWith(503, port, request())
    assert.deepEqual(refused.headers, { ...usual.headers, 'retry-after': '1' }, what)
    assert.equal(refused.closed, usual.closed, what)
    if (usual.body === '') continue
    const { error } = JSON.parse(usual.body)
    assert.deepEqual(JSON.parse(refused.body), {
      error: {
        ...error,
        type: 'unavailable',
        code: 'unavailable',
        message: 'Docket is overloaded. Try again in a few seconds.',
        doc_url: error.doc_url.replace(error.code, 'unavailable'),
      },
    })
  }
  const { replies } = await exchangeRaw(port, `GET /metrics HTTP/1.1\r\n${HOST}\r\n`)
  const labels = 'method="GET",route="none",status="503"'
  assert.ok(replies[0]?.body.includes(`docket_http_request_duration_seconds_count{${labels}}`))
  assert.match(replies[0]?.body ?? '', /^docket_http_requests_waiting \d+$/m)
})

test('drains the body of a rejected request and keeps the connection open', async () => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  const health = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`
  for (let attempt = 0; ; attempt++) {
    assert.ok(attempt < 500, 'something is refused')
    // The first requests are accepted, and authentication rejects them.
    if (attempt % 10 === 5) await overload()
    const { replies } = await exchangeRaw(port, [POST, health], { replies: 2 })
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
