import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { callApiForJson } from '../support/api/call-api.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort, type RawExchange } from '../support/server/raw-exchange.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const MAX = 8 * 1024 * 1024
const CHUNK = Buffer.alloc(65_536, 'x')
const ENV = { DOCKET_MAX_ATTACHMENT_BYTES: String(MAX) }
let docket: TestDocket
let team: TestWorkspace
let port: number
let task: string

before(async () => {
  docket = await openTestDocket('sqlite', ENV)
  team = await createTestWorkspace(docket.storage)
  port = await listenOnPort(docket.server)
  const body = { project_id: team.project, title: 'T' }
  const taskRequest = { method: 'POST', url: '/api/v1/tasks', body }
  task = (await callApiForJson(docket.server, team.keys.owner, taskRequest)).id
})

const head = (to: string, more = '') =>
  `POST /api/v1/tasks/${to}/attachments?filename=a HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `Authorization: Bearer ${team.keys.owner}\r\n${more}`
const declared = (to: string, length: number) => head(to, `Content-Length: ${length}\r\n\r\n`)
const chunked = (to: string) => head(to, 'Transfer-Encoding: chunked\r\n\r\n')
const asChunks = (count: number) =>
  Array.from({ length: count }, () => [`${CHUNK.length.toString(16)}\r\n`, CHUNK, '\r\n']).flat()

const onlyReply = ({ replies, error }: RawExchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}
const codeOf = (exchange: RawExchange) => {
  const { status, body } = onlyReply(exchange)
  return status < 400 ? `${status}` : `${status} ${JSON.parse(body).error.code}`
}

/** Longer than anything here takes. */
const LONG_TIMEOUT = { pauseMs: 0, timeoutMs: 30_000 }

/** The drafts and the stored files on the disk. */
function onDisk({ config } = docket): { drafts: string[]; files: string[] } {
  const files = join(config.dataDir, 'files')
  const names = (name: string) => {
    try {
      return readdirSync(join(files, name))
    } catch {
      return []
    }
  }
  return { drafts: names('drafts'), files: names(team.workspace) }
}

test('accepts a file of the maximum size, with Content-Length or chunked, and keeps the connection', async () => {
  const whole = Array<Buffer>(MAX / CHUNK.length).fill(CHUNK)
  const get = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  const options = { ...LONG_TIMEOUT, replies: 2 }
  const all = await Promise.all([
    exchangeRaw(port, [declared(task, MAX), ...whole, get], options),
    exchangeRaw(port, [chunked(task), ...asChunks(whole.length), '0\r\n\r\n', get], options),
  ])
  for (const { replies } of all)
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 200],
    )
})

test('a file that is too large gets 413: at once by Content-Length, else when the limit is reached', async () => {
  const files = onDisk().files.length
  const options = { ...LONG_TIMEOUT, keepsOpen: true }
  const [declaredTooLarge, chunkedTooLarge] = await Promise.all([
    exchangeRaw(port, declared(task, MAX + 1), options),
    exchangeRaw(port, [chunked(task), ...asChunks(MAX / CHUNK.length + 1)], options),
  ])
  for (const one of [declaredTooLarge, chunkedTooLarge]) {
    assert.equal(codeOf(one), '413 payload_too_large')
    assert.equal(onlyReply(one).headers.connection, 'close')
    assert.ok(one.closed)
  }
  assert.deepEqual(onDisk(), { drafts: [], files: onDisk().files })
  assert.equal(onDisk().files.length, files)
})

test('rejects an invalid upload without reading the whole file', async () => {
  const unknown = 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3'
  const options = { ...LONG_TIMEOUT, keepsOpen: true }
  const all = await Promise.all([
    exchangeRaw(port, [declared(unknown, MAX), CHUNK], options),
    exchangeRaw(port, [chunked(unknown), ...asChunks(17)], options),
    exchangeRaw(port, [declared(task, MAX).replace('filename=a', 'filename=a%2f'), CHUNK], options),
    exchangeRaw(port, [declared(task, MAX).replace('filename=a', 'name=a'), CHUNK], options),
  ])
  const codes = ['404 not_found', '404 not_found', '422 validation_failed', '400 invalid_parameter']
  assert.deepEqual(all.map(codeOf), codes)
  assert.ok(all.every(({ closed }) => closed))
  assert.deepEqual(onDisk().drafts, [])
})

test('a small upload that is refused before its end announces and closes its connection', async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="unknown"\r\n\r\nx\r\n'
  const beginning = Buffer.from(part.repeat(30))
  const options = { timeoutMs: 10_000, pauseMs: 50, keepsOpen: true }
  const refused = (length: number) => {
    const type = 'Content-Type: multipart/form-data; boundary=b\r\n'
    const start = declared(task, length).replace('?filename=a', '').replace('Host', `${type}Host`)
    const rest = Buffer.alloc(length - beginning.length - 1, 'x')
    return exchangeRaw(port, [start, beginning, 'x', rest], options)
  }
  // Node would buffer the rest of the second one and keep its connection, without time-outs.
  for (const one of await Promise.all([refused(600_000), refused(30_000)])) {
    assert.equal(codeOf(one), '422 validation_failed')
    assert.equal(onlyReply(one).headers.connection, 'close')
    assert.ok(one.closed)
  }
})

test('a small upload that is refused before its beginning keeps its connection', async () => {
  const refused = declared(task, 600_000).replace('Host', 'Content-Encoding: br\r\nHost')
  const get = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  const pieces = [refused, Buffer.alloc(600_000), get]
  const { replies } = await exchangeRaw(port, pieces, { ...LONG_TIMEOUT, replies: 2 })
  assert.deepEqual(
    replies.map(({ status }) => status),
    [415, 200],
  )
})

test('bytes of uploads in progress count against the quota', async () => {
  const quota = 3 * 1024 * 1024
  const env = { ...ENV, DOCKET_WORKSPACE_BYTES: String(quota) }
  const served = await openTestDocket('sqlite', env)
  const { storage, server, config } = served
  const { keys, project } = await createTestWorkspace(storage)
  const body = { project_id: project, title: 'T' }
  const { id } = await callApiForJson(server, keys.owner, {
    method: 'POST',
    url: '/api/v1/tasks',
    body,
  })
  const to = await listenOnPort(server)
  const uploadHead = head(id, 'Content-Length: 3000000\r\n\r\n').replace(
    team.keys.owner,
    keys.owner,
  )
  const partialBody = Array<Buffer>(30).fill(CHUNK)
  const cut = Promise.withResolvers<void>()
  const first = exchangeRaw(to, [uploadHead, ...partialBody], {
    ...LONG_TIMEOUT,
    keepsOpen: true,
    stopWhen: cut.promise,
  })
  const drafted = () => {
    const paths = onDisk(served).drafts.map((name) => join(config.dataDir, 'files/drafts', name))
    return paths.reduce((bytes, path) => bytes + statSync(path).size, 0)
  }
  await waitUntil('the bytes of the first', () => drafted() === partialBody.length * CHUNK.length)
  // Each would fit by itself, and neither is complete.
  const second = await exchangeRaw(to, [uploadHead, ...partialBody], {
    ...LONG_TIMEOUT,
    keepsOpen: true,
  })
  assert.equal(codeOf(second), '409 limit_reached')
  cut.resolve()
  assert.deepEqual((await first).replies, [])
  await waitUntil('the end of both', () => onDisk(served).drafts.length === 0)
  const whole = [uploadHead, Buffer.alloc(3_000_000)]
  await waitUntil('room', async () => codeOf(await exchangeRaw(to, whole, LONG_TIMEOUT)) === '201')
})

test('an upload may exceed the request timeout', async (t) => {
  const { server } = docket.server
  const { headersTimeout, requestTimeout } = server
  t.after(() => Object.assign(server, { headersTimeout, requestTimeout }))
  Object.assign(server, { headersTimeout: 300, requestTimeout: 300 })
  // The server checks timeouts once a second: this upload lasts for two checks.
  const pieces = [declared(task, 25), ...Array<string>(25).fill('x')]
  const slow = await exchangeRaw(port, pieces, { ...LONG_TIMEOUT, pauseMs: 100 })
  assert.equal(codeOf(slow), '201')
  assert.deepEqual(onDisk().drafts, [])
})
