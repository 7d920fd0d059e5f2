import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ApiError } from '#core/api-error.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import {
  readWithTimeouts,
  TRANSFER_TIMEOUTS,
  type TransferTimeouts,
} from '#http/request/transfer-timeouts.ts'
import { MAX_CONCURRENT_UPLOADS } from '#http/uploads/upload-handler.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort, type RawExchange } from '../support/server/raw-exchange.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const ENV = { DOCKET_MAX_ATTACHMENT_BYTES: '8388608' }
/** Longer than anything here takes. */
const LONG_TIMEOUT = { pauseMs: 0, timeoutMs: 60_000 }
const LONG_TIMEOUTS = {
  ...TRANSFER_TIMEOUTS,
  wholeMs: 3_600_000,
  idleMs: 3_600_000,
  rateWindowMs: 3_600_000,
}

const onlyReply = ({ replies, error }: RawExchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}

/** A workspace with a task, to which files of five bytes are uploaded. */
async function createUploader(engine: DatabaseEngine, timeouts: Partial<TransferTimeouts> = {}) {
  const transferTimeouts = { ...LONG_TIMEOUTS, ...timeouts }
  const { storage, server, config } = await openTestDocket(engine, ENV, { transferTimeouts })
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

for (const engine of ENGINES) {
  test(`an upload slower than the minimum rate gets 408 and leaves no file (${engine})`, async () => {
    const timeouts = { rateWindowMs: 400, minWindowBytes: 1_000 }
    const { send, upload, listFiles } = await createUploader(engine, timeouts)
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

  test(`slow senders of two workspaces leave places for others (${engine})`, async (t) => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => createUploader(engine)))
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
}

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
