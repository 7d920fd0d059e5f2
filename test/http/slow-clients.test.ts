import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { before, test } from 'node:test'
import { ApiError } from '#core/api-error.ts'
import { linesRoute } from '#core/route.ts'

import {
  readWithTimeouts,
  TRANSFER_TIMEOUTS,
  type TransferTimeouts,
} from '#http/request/transfer-timeouts.ts'
import { MAX_CONCURRENT_UPLOADS } from '#http/uploads/upload-handler.ts'
import { getProjectTasks } from '#resources/web-app/project-tasks/contract.ts'
import { routes } from '#server/routes.ts'
import { callApi, callApiForJson } from '../support/api/call-api.ts'
import { createServerVariant } from '../support/api/rewrite-statements.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort, type RawExchange } from '../support/server/raw-exchange.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** More chunks than all socket buffers hold. */
const CHUNK_COUNT = 256
const CHUNK = Buffer.alloc(65_536, 'x')
const SLOW_CHUNK_COUNT = 4
const SLOW_PAUSE_MS = 300
let port: number
let post: string

before(async () => {
  const { storage, server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { keys, project } = await createTestWorkspace(storage)
  port = await listenOnPort(server)
  post =
    `POST /api/v1/projects/${project}/tags HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nContent-Type: application/json\r\n`
})

const onlyReply = ({ replies, error }: RawExchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}

test('a slow request gets 408, whether its head or its body is slow', async () => {
  const { server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const { headersTimeout, requestTimeout } = server.server
  assert.deepEqual([headersTimeout, requestTimeout], [30_000, 30_000])
  // Node would check the timeouts every 30 seconds.
  assert.equal(Reflect.get(server.server, 'connectionsCheckingInterval'), 1_000)
  Object.assign(server.server, { headersTimeout: 300, requestTimeout: 300 })
  const slow = await Promise.all([
    exchangeRaw(port, 'GET /healthz HTTP/1.1\r\nHost: ', { keepsOpen: true, timeoutMs: 60_000 }),
    exchangeRaw(port, `${post}Content-Length: 9\r\n\r\n{"na`, {
      keepsOpen: true,
      timeoutMs: 60_000,
    }),
    exchangeRaw(
      port,
      [`${post}Transfer-Encoding: chunked\r\n\r\n`, ...Array<string>(100).fill('1\r\n{\r\n')],
      { keepsOpen: true, pauseMs: 50, timeoutMs: 60_000 },
    ),
  ]).finally(() => Object.assign(server.server, { headersTimeout, requestTimeout }))
  for (const one of slow) {
    const { status, body, headers } = onlyReply(one)
    assert.equal(status, 408)
    assert.equal(JSON.parse(body).error.code, 'request_timeout')
    assert.equal(headers['x-request-id'], JSON.parse(body).error.request_id)
    assert.ok(one.closed)
  }
})

test('a body that is too large gets 413, is drained, and the connection is closed', async () => {
  const declared = `${post}Content-Length: ${CHUNK_COUNT * CHUNK.length}\r\n\r\n`
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
  const size = `${CHUNK.length.toString(16)}\r\n`
  const options = { keepsOpen: true, pauseMs: 0, timeoutMs: 30_000, readsAfterWriting: true }
  const cases = await Promise.all([
    exchangeRaw(port, [declared, ...Array<Buffer>(CHUNK_COUNT).fill(CHUNK)], options),
    exchangeRaw(
      port,
      [chunked, ...Array<Buffer>(CHUNK_COUNT).fill(Buffer.from(`${size}${CHUNK}\r\n`))],
      options,
    ),
    // This client waits for the response before it sends the body.
    exchangeRaw(port, declared, options),
    // The connection stays open while a client that ignores the response sends on.
    exchangeRaw(port, [declared, ...Array<Buffer>(SLOW_CHUNK_COUNT).fill(CHUNK)], {
      keepsOpen: true,
      pauseMs: SLOW_PAUSE_MS,
      timeoutMs: 30_000,
    }),
  ])
  assert.equal(cases[3]?.sent, 1 + SLOW_CHUNK_COUNT)
  for (const one of cases) {
    const { status, headers } = onlyReply(one)
    assert.equal(status, 413)
    assert.equal(headers.connection, 'close')
    assert.ok(one.closed)
  }
})

test('accepts a body of exactly 1 MiB, with Content-Length or chunked', async () => {
  const body = `{"name":"${'x'.repeat(1_048_576 - 11)}"}`
  const declared = `${post}Content-Length: ${body.length}\r\n\r\n${body}`
  const size = body.length.toString(16)
  const streamed = `${post}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`
  for (const text of [declared, streamed]) {
    assert.equal(onlyReply(await exchangeRaw(port, text, { timeoutMs: 30_000 })).status, 422)
  }
})

const GET = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

test('closes idle connections, before the first request and after one', async () => {
  const { server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '3' })
  const port = await listenOnPort(server)
  const { keepAliveTimeout, headersTimeout, maxConnections } = server.server
  assert.deepEqual([keepAliveTimeout, headersTimeout], [60_000, 30_000])
  assert.equal(maxConnections, 10_000)
  // Node would look for silent connections every 30 seconds.
  assert.equal(Reflect.get(server.server, 'connectionsCheckingInterval'), 1_000)
  Object.assign(server.server, { keepAliveTimeout: 200, headersTimeout: 300 })
  const [silent, idle] = await Promise.all([
    exchangeRaw(port, '', { keepsOpen: true, timeoutMs: 60_000 }),
    exchangeRaw(port, GET, { keepsOpen: true, timeoutMs: 60_000 }),
  ]).finally(() => Object.assign(server.server, { keepAliveTimeout, headersTimeout }))
  assert.ok(silent.closed && idle.closed)
  assert.equal(idle.replies[0]?.status, 200)
})

const ENV = { DOCKET_MAX_ATTACHMENT_BYTES: '8388608' }
/** Longer than anything here takes. */
const LONG_TIMEOUT = { pauseMs: 0, timeoutMs: 60_000 }
const LONG_TIMEOUTS = {
  ...TRANSFER_TIMEOUTS,
  wholeMs: 3_600_000,
  idleMs: 3_600_000,
  rateWindowMs: 3_600_000,
}

/** A workspace with a task, to which files of five bytes are uploaded. */
async function createUploader(timeouts: Partial<TransferTimeouts> = {}) {
  const transferTimeouts = { ...LONG_TIMEOUTS, ...timeouts }
  const { storage, server, config } = await openTestDocket('sqlite', ENV, { transferTimeouts })
  const port = await listenOnPort(server)
  const team = await createTestWorkspace(storage)
  const { keys, project } = team
  const body = { project_id: project, title: 'T' }
  const post = { method: 'POST', url: '/api/v1/tasks', body }
  const { id } = await callApiForJson(server, keys.owner, post)
  const head = (length: number) =>
    `POST /api/v1/tasks/${id}/attachments?filename=a HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nContent-Length: ${length}\r\n\r\n`
  const listFiles = async () => {
    const url = `/api/v1/tasks/${id}/attachments`
    const headers = { authorization: `Bearer ${keys.owner}` }
    const reply = await server.inject({ method: 'GET', url, headers })
    return reply.json<{ data: unknown[] }>().data
  }
  return {
    listFiles,
    /** Uploads a file to import, as the web app does; returns the status. */
    async startImport() {
      const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
      const url = '/internal/imports?filename=a.csv'
      const reply = await server.inject({ method: 'POST', url, headers, payload: 'Title\nOne' })
      return reply.statusCode
    },
    send: (length: number, pieces: string[], more: Parameters<typeof exchangeRaw>[2] = {}) =>
      exchangeRaw(port, [head(length), ...pieces], { ...LONG_TIMEOUT, ...more }),
    upload: async () => onlyReply(await exchangeRaw(port, `${head(5)}Hello`, LONG_TIMEOUT)),
    /** Sends the heads of uploads whose bodies never arrive. */
    hold: (count: number, stopWhen: Promise<void>) =>
      Array.from({ length: count }, () =>
        exchangeRaw(port, head(5), { ...LONG_TIMEOUT, keepsOpen: true, stopWhen }),
      ),
  }
}

test('an upload slower than the minimum rate gets 408 and leaves no file', async () => {
  const timeouts = { rateWindowMs: 400, minWindowBytes: 1_000 }
  const { send, upload, listFiles } = await createUploader(timeouts)
  // The server reads on for a moment after its reply, until the sender stops.
  const pieces = Array<string>(100).fill('x')
  const slow = await send(9_999, pieces, { pauseMs: 20, keepsOpen: true })
  const { status, headers, body } = onlyReply(slow)
  assert.equal(status, 408)
  assert.equal(headers.connection, 'close')
  const { code, message, request_id } = JSON.parse(body).error
  assert.equal(code, 'request_timeout')
  assert.equal(message, 'The file did not arrive in time. Upload it again.')
  assert.equal(headers['x-request-id'], request_id)
  assert.ok(slow.closed)
  assert.deepEqual(await listFiles(), [])
  assert.equal((await upload()).status, 201)
  assert.equal((await listFiles()).length, 1)
})

test('slow senders of two workspaces leave places for others', async (t) => {
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => createUploader()))
  assert.ok(first && second && third)
  const cut = Promise.withResolvers<void>()
  t.after(() => cut.resolve())
  const held = first.hold(MAX_CONCURRENT_UPLOADS, cut.promise)
  await waitUntil('the places of one', async () => (await first.upload()).status === 503)
  const { headers, body } = await first.upload()
  assert.equal(headers['retry-after'], '1')
  assert.equal(JSON.parse(body).error.code, 'unavailable')
  assert.equal(await first.startImport(), 503)
  assert.equal(await third.startImport(), 201)
  held.push(...second.hold(MAX_CONCURRENT_UPLOADS, cut.promise))
  await waitUntil('the places of both', async () => (await second.upload()).status === 503)
  for (let n = 0; n < 5; n += 1) assert.equal((await third.upload()).status, 201)
  assert.equal((await third.listFiles()).length, 5)
  cut.resolve()
  await Promise.all(held)
  await waitUntil('free places', async () => (await first.upload()).status === 201)
})

/** Returns a function that reads the next chunk of an upload, which arrives after a wait. */
function readUpload(timeouts: TransferTimeouts, wait: (ms: number) => void) {
  const request = new IncomingMessage(new Socket())
  const chunks = readWithTimeouts(request, timeouts)
  return async (bytes: number, waitMs: number) => {
    const next = chunks.next()
    wait(waitMs)
    request.push(Buffer.alloc(bytes))
    return (await next).value?.length
  }
}

const isRequestTimeout = (error: unknown) =>
  error instanceof ApiError && error.code === 'request_timeout'

test('measures the rate of an upload only while it waits for the sender', async (t) => {
  const clock = stopPerformanceClock(t)
  const timeouts = { ...LONG_TIMEOUTS, rateWindowMs: 30_000, minWindowBytes: 100 }
  const readChunk = readUpload(timeouts, clock.pass)
  assert.equal(await readChunk(100, 29_000), 100)
  // The server stores what has arrived, which may take any time.
  clock.pass(600_000)
  assert.equal(await readChunk(1, 1_001), 1)
  // The next window began with nothing.
  assert.equal(await readChunk(99, 20_000), 99)
  assert.equal(await readChunk(1, 10_001), 1)
  await assert.rejects(readChunk(99, 30_001), isRequestTimeout)
})

test('an upload has an idle and a total timeout', async (t) => {
  const clock = stopPerformanceClock(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const wait = (ms: number) => {
    clock.pass(ms)
    t.mock.timers.tick(ms)
  }
  const { idleMs, wholeMs, minWindowBytes } = TRANSFER_TIMEOUTS
  const idle = readUpload(TRANSFER_TIMEOUTS, wait)
  assert.equal(await idle(minWindowBytes, idleMs - 1), minWindowBytes)
  await assert.rejects(idle(minWindowBytes, idleMs), isRequestTimeout)

  const endless = readUpload(TRANSFER_TIMEOUTS, wait)
  const count = wholeMs / idleMs
  for (let n = 0; n < count; n += 1)
    assert.equal(await endless(minWindowBytes, idleMs - 1), minWindowBytes)
  await assert.rejects(endless(minWindowBytes, count), isRequestTimeout)
})

/** A page of them has 12 MB, more than all socket buffers hold. */
const PAGE_TASKS = 200
const DESCRIPTION = 'x'.repeat(60_000)

test('refuses requests of a workspace while 64 MiB of its replies are unread', async (t) => {
  const { storage, server } = await openTestDocket('sqlite', { DOCKET_DRAIN_SECONDS: '1' })
  const port = await listenOnPort(server)
  const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  const task = { project_id: team.project, title: 'T', description: DESCRIPTION }
  const operations = Array.from({ length: 10 }, () => ({ op: 'create', data: task }))
  for (let n = 0; n < PAGE_TASKS; n += operations.length) {
    const url = '/api/v1/tasks/bulk'
    await callApiForJson(server, team.keys.owner, { method: 'POST', url, body: { operations } })
  }
  const silent: Socket[] = []
  const leave = () => {
    for (const socket of silent) socket.destroy()
  }
  t.after(leave)
  const request =
    `GET /api/v1/tasks?limit=${PAGE_TASKS} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${team.keys.owner}\r\n\r\n`
  for (let n = 0; n < 30; n += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}).pause()
    socket.write(request)
    silent.push(socket)
  }
  const ask = (key: string) => callApi(server, key, { method: 'GET', url: '/api/v1/projects' })
  const { id } = await callApiForJson(server, team.keys.owner, {
    method: 'POST',
    url: '/api/v1/tasks',
    body: task,
  })
  await waitUntil('the maximum', async () => (await ask(team.keys.owner)).status === 503)
  const { headers, text } = await ask(team.keys.owner)
  assert.equal(headers['retry-after'], '1')
  assert.equal(JSON.parse(text).error.code, 'unavailable')
  assert.equal((await ask(other.keys.owner)).status, 200)
  const removal = { method: 'DELETE', url: `/api/v1/tasks/${id}` }
  assert.equal((await callApi(server, team.keys.owner, removal)).status, 204)
  leave()
  await waitUntil('room', async () => (await ask(team.keys.owner)).status === 200)
})

test('reads the next line only when the client has taken the one before, also compressed', async (t) => {
  const served = await openTestDocket('sqlite')
  const waiting: number[] = []
  const sockets = new Set<Socket>()
  const endless = linesRoute(getProjectTasks, async function* () {
    yield '{}'
    for (;;) {
      waiting.push(Math.max(...[...sockets].map(({ writableLength }) => writableLength)))
      yield JSON.stringify(randomBytes(300_000).toString('base64'))
    }
  })
  const server = await createServerVariant(served, {
    routes: routes.map((route) => (route.endpoint === getProjectTasks ? endless : route)),
  })
  server.server.on('connection', (socket) => sockets.add(socket))
  const port = await listenOnPort(server)
  const team = await createTestWorkspace(served.storage)
  const { headers } = await createTestSession(served.storage, team, 'owner')
  for (const coding of ['identity', 'gzip', 'br']) {
    waiting.length = 0
    const client = connect(port, '127.0.0.1').pause()
    t.after(() => client.destroy())
    client
      .on('error', () => {})
      .write(
        `GET /internal/projects/ENG/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${headers.cookie}\r\n` +
          `Accept-Encoding: ${coding}\r\n\r\n`,
      )
    await waitUntil('bytes that wait', () =>
      [...sockets].some(({ writableLength }) => writableLength > 0),
    )
    const count = waiting.length
    client.resume()
    await waitUntil('more lines', () => waiting.length > count + 10)
    client.destroy()
    await waitUntil('the end of the connection', () =>
      [...sockets].every(({ destroyed }) => destroyed),
    )
    sockets.clear()
    assert.deepEqual(new Set(waiting), new Set([0]), coding)
  }
})
