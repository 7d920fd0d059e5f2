import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MAX_IN_FLIGHT, MIN_IN_FLIGHT, SAMPLE_INTERVAL_MS } from '#http/server/overload.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const HOST = 'Host: 127.0.0.1\r\n'
const BODY = '{"name":"never read"}'
const JSON_BODY = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const POST = `POST /api/v1/tasks HTTP/1.1\r\n${HOST}${JSON_BODY}`
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
/** Each of a path that exists, and the same of one that does not. */
const REQUESTS: Record<string, (suffix?: string) => string> = {
  'a GET': (suffix = '') => get(`/api/v1/projects${suffix}`),
  'of the web app': (suffix = '') => get(`/internal/views${suffix}`),
  'a HEAD': (suffix = '') => get(`/api/v1/projects${suffix}`).replace('GET', 'HEAD'),
  'a POST whose body nobody reads': (suffix = '') => POST.replace('/tasks', `/tasks${suffix}`),
  'one that ends the connection': (suffix = '') =>
    `GET /api/v1/tasks${suffix} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'an older client': (suffix = '') => `GET /api/v1/projects${suffix} HTTP/1.0\r\n\r\n`,
}
/** Operators must see an overloaded process, and no page is left with half its code. */
const EXEMPT = ['/healthz', '/readyz', '/metrics', '/app/icon.svg']

/** Sends a request and returns its reply, which must have this status. */
async function replyWith(status: number, port: number, request: string) {
  const { replies, closed } = await exchangeRaw(port, request)
  const [reply = assert.fail('no reply')] = replies
  assert.equal(reply.status, status, request)
  const { date, 'x-request-id': id = '', 'content-length': length, ...headers } = reply.headers
  assert.match(date ?? '', /GMT$/)
  assert.match(id, /^req_[0-9a-z]{26}$/)
  const isHead = request.startsWith('HEAD')
  assert.equal(isHead ? '' : length, isHead ? reply.body : String(reply.body.length))
  return { headers, body: reply.body.replace(id, 'the id'), closed }
}

/** One whose body does not arrive, and one that stays open for changes. */
const UPLOAD = ['POST /api/v1/tasks', 'Content-Type: application/json\r\nContent-Length: 9\r\n']
const WAIT = ['GET /api/v1/changes?after=now', 'Accept: text/event-stream\r\n']

/** Requests of a workspace that last until they are released. */
function holdRequests(
  port: number,
  key: string,
  count: number,
  [start, headers] = UPLOAD,
): () => Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const head = `${start} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n${headers}\r\n`
  const held = Array.from({ length: count }, () =>
    exchangeRaw(port, head, { replies: 2, stopWhen: promise }),
  )
  return () => {
    resolve()
    return Promise.all(held)
  }
}

async function openShedding(t: TestContext) {
  const clock = stopPerformanceClock(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { server, storage } = await openTestDocket(
    'sqlite',
    {},
    {
      sheds: true,
      // A server of its own, as its timer is that of the test.
      clock: createTestClock(),
    },
  )
  const port = await listenOnPort(server)
  const passSamples = (count: number, delayMs: number) => {
    for (let at = 0; at < count; at += 1) {
      clock.pass(SAMPLE_INTERVAL_MS + delayMs)
      t.mock.timers.tick(SAMPLE_INTERVAL_MS)
    }
  }
  /** As many as halve the maximum to the minimum, or double it back. */
  const steps = Math.log2(MAX_IN_FLIGHT / MIN_IN_FLIGHT)
  const workspaces = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  const [key = '', other = ''] = workspaces.map(({ keys }) => keys.owner)
  const get = (authorization: string, path = '/api/v1/me') =>
    `GET ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${authorization}\r\n\r\n`
  const statusOf = async (authorization: string) =>
    (await exchangeRaw(port, get(authorization))).replies[0]?.status
  const isInFlight = async (count: number) => {
    const { replies } = await exchangeRaw(port, `GET /metrics HTTP/1.1\r\n${HOST}\r\n`)
    return replies[0]?.body.includes(`docket_http_requests_in_flight ${count + 1}\n`) === true
  }
  return { port, steps, key, other, passSamples, statusOf, isInFlight }
}

test('refuses requests with 503 and Retry-After while the event loop lags and many are in flight, as any error', async (t) => {
  const { port, steps, key, passSamples, isInFlight } = await openShedding(t)
  const usual = new Map<string, Awaited<ReturnType<typeof replyWith>>>()
  for (const [what, request] of Object.entries(REQUESTS))
    usual.set(what, await replyWith(404, port, request('/nothing/here')))

  passSamples(steps, 1_000)
  await replyWith(401, port, get('/api/v1/projects'))
  const release = holdRequests(port, key, MIN_IN_FLIGHT)
  await waitUntil('requests in flight', () => isInFlight(MIN_IN_FLIGHT))
  for (const [what, request] of Object.entries(REQUESTS)) {
    const refused = await replyWith(503, port, request())
    const { headers, body, closed } = usual.get(what) ?? assert.fail(what)
    assert.deepEqual(refused.headers, { ...headers, 'retry-after': '1' }, what)
    assert.equal(refused.closed, closed, what)
    if (body === '') continue
    const { error } = JSON.parse(body)
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
  for (const path of EXEMPT) await replyWith(200, port, get(path))
  await replyWith(404, port, get('/api//v1'))
  const { replies } = await exchangeRaw(port, [POST, get('/metrics')], { replies: 2 })
  assert.deepEqual(
    replies.map(({ status }) => status),
    [503, 200],
    'drains the body and keeps the connection',
  )
  const labels = 'method="GET",route="none",status="503"'
  assert.ok(replies[1]?.body.includes(`docket_http_request_duration_seconds_count{${labels}}`))

  await release()
  await waitUntil('their end', () => isInFlight(0))
  for (let times = 0; times < 20; times += 1) await replyWith(401, port, get('/api/v1/projects'))
})

test('a workspace has a quarter of the requests in flight, and the maximum returns with the event loop', async (t) => {
  const { port, steps, key, other, passSamples, statusOf, isInFlight } = await openShedding(t)
  passSamples(steps - 2, 1_000)
  const [max, own] = [4 * MIN_IN_FLIGHT, MIN_IN_FLIGHT]
  assert.equal(await statusOf(key), 200)
  assert.equal(await statusOf(other), 200)
  // The first ones are nobody's part.
  const release = holdRequests(port, key, MIN_IN_FLIGHT + own)
  await waitUntil('requests in flight', () => isInFlight(MIN_IN_FLIGHT + own))
  assert.equal(await statusOf(key), 503)
  assert.equal(await statusOf(other), 200)
  assert.ok(MIN_IN_FLIGHT + own < max)
  passSamples(1, 0)
  assert.equal(await statusOf(key), 200)
  await release()
})

test('those who wait for changes leave their workspace its whole part', async (t) => {
  const { port, steps, key, other, passSamples, statusOf, isInFlight } = await openShedding(t)
  passSamples(steps - 2, 1_000)
  const own = MIN_IN_FLIGHT
  assert.equal(await statusOf(key), 200)
  const release = holdRequests(port, other, MIN_IN_FLIGHT)
  await waitUntil('requests in flight', () => isInFlight(MIN_IN_FLIGHT))
  const end = holdRequests(port, key, own, WAIT)
  assert.equal(await statusOf(key), 200)
  await Promise.all([release(), end()])
})
