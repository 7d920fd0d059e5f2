import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { SAMPLE_INTERVAL_MS } from '#http/load-shedding/overload.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'
import { waitUntil } from '../support/system/wait-until.ts'

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

test('refuses requests with 503 and Retry-After while the event loop lags, as any error, and none afterwards', async (t) => {
  const clock = stopPerformanceClock(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  // Admits what is certain to be admitted.
  t.mock.method(Math, 'random', () => 0.999)
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  const passSample = (delayMs: number) => {
    clock.pass(SAMPLE_INTERVAL_MS + delayMs)
    t.mock.timers.tick(SAMPLE_INTERVAL_MS)
  }
  const usual = new Map<string, Awaited<ReturnType<typeof replyWith>>>()
  for (const [what, request] of Object.entries(REQUESTS))
    usual.set(what, await replyWith(404, port, request('/nothing/here')))

  passSample(1_000)
  await replyWith(401, port, get('/api/v1/projects'))
  passSample(1_000)
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

  await waitUntil('the recovery', async () => {
    passSample(0)
    const { replies } = await exchangeRaw(port, get('/api/v1/projects'))
    return replies[0]?.status === 401
  })
  for (let samples = 0; samples < 50; samples += 1) {
    passSample(0)
    await pause(1)
  }
  for (let times = 0; times < 20; times += 1) await replyWith(401, port, get('/api/v1/projects'))
})
