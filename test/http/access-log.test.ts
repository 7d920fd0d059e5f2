import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const FILTER = 'deploy/fail2ban/filter.d/docket.conf'
/** What fail2ban puts in place of <ADDR>, but for host names, which it would look up. */
const ADDRESS_PATTERN = '(?<address>\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)'

interface SentRequest {
  from: string
  forwardedFor?: string
  /** Whether it is a sign-in that fails; otherwise a read with a wrong key. */
  isSignIn?: boolean
}

/** Sends requests to a server with its own log, and returns the lines of the log. */
async function logOf(
  { trustProxy, hasAddresses = true }: { trustProxy: number; hasAddresses?: boolean },
  requests: readonly SentRequest[],
) {
  const { storage, config: shared } = await openTestDocket('sqlite')
  const config = { ...shared, trustProxy, log: { ...shared.log, hasAddresses } }
  const file = join(createTempDir(), 'log')
  const log = openLog('info', openSync(file, 'w'))
  const { server } = await createApp(storage, config, TEST_SECRET, log)
  for (const { from, forwardedFor, isSignIn } of requests) {
    const origin = config.baseUrl
    const json = 'application/json'
    const reply = await server.inject({
      ...(isSignIn ? { method: 'POST', url: '/internal/session' } : { url: '/api/v1/projects' }),
      headers: {
        ...(isSignIn ? { origin, 'content-type': json } : { authorization: 'Bearer x' }),
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
      remoteAddress: from,
      ...(isSignIn && { payload: { email: 'nobody@example.com', password: 'no password' } }),
    })
    assert.equal(reply.statusCode, 401)
  }
  await server.close()
  log.flushNow()
  return readFileSync(file, 'utf8').trim().split('\n')
}

const parse = (line: string) => JSON.parse(line) as Record<string, unknown>

test('the access log has the address of the client, by as many proxies as are trusted', async () => {
  const addressesBehind = async (proxies: number, requests: SentRequest[]) =>
    (await logOf({ trustProxy: proxies }, requests)).map((line) => parse(line).address)
  const forwardedFor = '10.9.9.9, 203.0.113.5'
  assert.deepEqual(
    await addressesBehind(0, [
      { from: '192.0.2.1', forwardedFor },
      { from: '::ffff:192.0.2.1' },
      { from: 'FE80:0::1%eth0' },
    ]),
    ['192.0.2.1', '192.0.2.1', 'fe80::1'],
  )
  assert.deepEqual(
    await addressesBehind(1, [
      { from: '10.0.0.1', forwardedFor },
      { from: '10.0.0.1', forwardedFor: '2001:DB8::5' },
      { from: '192.0.2.1' },
      { from: '10.0.0.1', forwardedFor: '"},"status":200,"a":{"' },
    ]),
    ['203.0.113.5', '2001:db8::5', '192.0.2.1', null],
  )
  assert.deepEqual(
    await addressesBehind(2, [
      { from: '10.0.0.1', forwardedFor: `${forwardedFor}, 10.0.0.2` },
      { from: '10.0.0.1', forwardedFor: '203.0.113.6' },
    ]),
    ['203.0.113.5', '203.0.113.6'],
  )
})

test('with DOCKET_LOG_ADDRESSES=0 the log has no address', async () => {
  const { trustProxy, log } = parseConfig({
    DOCKET_LOG_ADDRESSES: '0',
    DOCKET_TRUST_PROXY: '1',
  })
  const lines = await logOf({ trustProxy, hasAddresses: log.hasAddresses }, [
    { from: '192.0.2.1', forwardedFor: '203.0.113.5' },
    { from: '192.0.2.1', forwardedFor: '203.0.113.5', isSignIn: true },
  ])
  assert.equal(lines.length, 3)
  for (const line of lines) assert.ok(!/address|192\.0\.2|203\.0\.113/.test(line), line)
})

/** Lines of which only those of failed sign-ins are to be matched, and their addresses. */
async function logOfFailures() {
  const lines = await logOf({ trustProxy: 1 }, [
    { from: '10.0.0.1', forwardedFor: '203.0.113.5', isSignIn: true },
    { from: '10.0.0.1', forwardedFor: '2001:db8::5', isSignIn: true },
    { from: '10.0.0.1', forwardedFor: '203.0.113.6' },
    { from: '10.0.0.1', forwardedFor: 'not an address', isSignIn: true },
  ])
  const failures = lines.filter((line) => parse(line).msg === 'Sign-in failed')
  assert.equal(failures.length, 3)
  const forged = JSON.stringify({ level: 30, msg: ` ${failures[0]}` })
  return { lines: [...lines, forged], addresses: ['203.0.113.5', '2001:db8::5'] }
}

test('the filter of fail2ban matches logged failures of IPv4 and IPv6 clients', async () => {
  const { lines, addresses } = await logOfFailures()
  const pattern = /^failregex = (.*)$/m.exec(readFileSync(FILTER, 'utf8'))?.[1] ?? ''
  const failure = new RegExp(pattern.replace('<ADDR>', ADDRESS_PATTERN))
  const matched = (prefix: string) =>
    lines.map((line) => failure.exec(prefix + line)?.groups?.address).filter((one) => one)
  assert.deepEqual(matched(''), addresses)
  assert.deepEqual(matched('host docket[7]: '), addresses)
})

/** Starts a server of its own, whose lines of requests are kept. */
async function startLoggedServer(t: TestContext) {
  const { storage, config } = await openTestDocket('sqlite')
  const lines: Record<string, unknown>[] = []
  const log = Object.assign(openLog('info', openSync('/dev/null', 'w')), {
    line: (text: string) => lines.push(parse(text)),
  })
  const options = { sheds: false }
  const app = await createApp(storage, config, TEST_SECRET, log, undefined, options)
  t.after(() => app.server.close())
  const team = await createTestWorkspace(storage)
  const port = await listenOnPort(app.server)
  const waitForLines = (count: number) =>
    waitUntil(
      () => JSON.stringify(lines),
      () => lines.length >= count,
    )
  return { ...app, storage, team, port, lines, waitForLines }
}

test('logs and measures requests whose client leaves before the reply, and streams at their end', async (t) => {
  const { server, appContext, storage, team, port, lines, waitForLines } =
    await startLoggedServer(t)
  const asOwner = `Host: 127.0.0.1\r\nAuthorization: Bearer ${team.keys.owner}\r\n`
  const feed = `GET /api/v1/changes?after=now HTTP/1.1\r\n${asOwner}\r\n`
  const body = 'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"name":'
  const client = connect(port, '127.0.0.1')
  client.write(`POST /api/v1/projects/${team.project}/tags HTTP/1.1\r\n${asOwner}${body}`)
  await waitUntil('it arrives', () => appContext.load.requests === 1)
  client.resetAndDestroy()
  await waitForLines(1)
  const { position } = JSON.parse((await exchangeRaw(port, feed)).replies[0]?.body ?? '')
  const waiting = feed.replace('after=now', `after=${position}&wait=30`)
  const addWaiting = t.mock.method(appContext.feedStreams, 'addWaiting')
  const pipelining = connect(port, '127.0.0.1')
  pipelining.write(waiting + waiting)
  await waitUntil('the first waits', () => addWaiting.mock.callCount() === 1)
  pipelining.destroy()
  await waitForLines(4)
  const { headers } = await createTestSession(storage, team, 'owner')
  const live = await openLiveStream(port, headers)
  live.close()
  await waitForLines(5)
  const routeLines = lines.map(({ method, route, status, address }) => [
    method,
    route,
    status,
    address,
  ])
  const from = '127.0.0.1'
  assert.deepEqual(routeLines, [
    ['POST', '/api/v1/projects/:id/tags', 499, from],
    ['GET', '/api/v1/changes', 200, from],
    ['GET', '/api/v1/changes', 499, from],
    // The second was not begun.
    ['GET', null, 499, from],
    ['GET', '/internal/changes', 200, from],
  ])
  assert.equal(appContext.load.requests, 0)
  const { body: metrics } = await server.inject('/metrics')
  for (const labels of [
    'method="POST",route="/api/v1/projects/:id/tags",status="499"',
    'method="GET",route="/internal/changes",status="200"',
  ])
    assert.ok(metrics.includes(`docket_http_request_duration_seconds_count{${labels}} 1`), labels)
})

test('logs and measures what is answered before a request is read', async (t) => {
  const { server, port, lines, waitForLines } = await startLoggedServer(t)
  const { replies } = await exchangeRaw(port, 'hello\r\n\r\n', { keepsOpen: true })
  await waitForLines(1)
  assert.partialDeepStrictEqual(lines, [
    {
      method: null,
      route: null,
      status: 400,
      address: '127.0.0.1',
      request_id: replies[0]?.headers['x-request-id'],
    },
  ])
  const { body: metrics } = await server.inject('/metrics')
  const labels = 'method="other",route="none",status="400"'
  assert.ok(metrics.includes(`docket_http_request_duration_seconds_count{${labels}} 1`))
})

test('logs and measures a request once if only its body cannot be read', async (t) => {
  const { server, team, port, lines, waitForLines } = await startLoggedServer(t)
  // A body that is too slow fails in the same way, a second later.
  const { replies } = await exchangeRaw(
    port,
    `POST /api/v1/projects/${team.project}/tags HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: Bearer ${team.keys.owner}\r\nContent-Type: application/json\r\n` +
      'Transfer-Encoding: chunked\r\n\r\nnot a size\r\n',
    { keepsOpen: true },
  )
  await waitForLines(1)
  const logged = lines.map(({ method, route, status, request_id }) => ({
    method,
    route,
    status,
    request_id,
  }))
  const [reply] = replies
  const route = '/api/v1/projects/:id/tags'
  const request_id = reply?.headers['x-request-id']
  assert.equal(reply?.status, 400)
  assert.deepEqual(logged, [{ method: 'POST', route, status: 400, request_id }])
  const { body: metrics } = await server.inject('/metrics')
  const labels = `method="POST",route="${route}",status="400"`
  assert.ok(metrics.includes(`docket_http_request_duration_seconds_count{${labels}} 1`))
  assert.ok(!metrics.includes('method="other"'))
})

test('logs a request whose client has left before it is begun', async (t) => {
  const { server, lines, waitForLines } = await startLoggedServer(t)
  const socket = new Socket()
  socket.destroy()
  const request = Object.assign(new IncomingMessage(socket), {
    method: 'GET',
    url: '/api/v1/projects',
    httpVersion: '1.1',
    headers: { host: '127.0.0.1' },
    rawHeaders: ['Host', '127.0.0.1'],
  })
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  server.server.emit('request', request, response)
  await waitForLines(1)
  assert.partialDeepStrictEqual(lines, [{ method: 'GET', route: null, status: 499 }])
})
