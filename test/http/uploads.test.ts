import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { PATIENCE } from '#http/patience.ts'
import { made } from '../experiments/world/call.ts'
import { until } from '../support/delivering.ts'
import { docketOn, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Exchange, exchange, portOf } from '../support/socket.ts'

const MAX = 8 * 1024 * 1024
const CHUNK = Buffer.alloc(65_536, 'x')
const ENV = { DOCKET_MAX_ATTACHMENT_BYTES: String(MAX) }
let docket: Served
let home: Home
let port: number
let task: string

before(async () => {
  docket = await docketOn('sqlite', ENV)
  home = await newHome(docket.storage)
  port = await portOf(docket.server)
  const body = { project_id: home.project, title: 'T' }
  const asking = { method: 'POST', url: '/api/v1/tasks', body }
  task = (await made(docket.server, home.keys.owner, asking)).id
})

const head = (to: string, more = '') =>
  `POST /api/v1/tasks/${to}/attachments?filename=a HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `Authorization: Bearer ${home.keys.owner}\r\n${more}`
const declared = (to: string, length: number) => head(to, `Content-Length: ${length}\r\n\r\n`)
const chunked = (to: string) => head(to, 'Transfer-Encoding: chunked\r\n\r\n')
const asChunks = (count: number) =>
  Array.from({ length: count }, () => [`${CHUNK.length.toString(16)}\r\n`, CHUNK, '\r\n']).flat()

const only = ({ replies, error }: Exchange) => {
  assert.equal(error, undefined)
  assert.equal(replies.length, 1)
  return replies[0] ?? assert.fail()
}
const codeOf = (exchange: Exchange) => {
  const { status, body } = only(exchange)
  return status < 400 ? `${status}` : `${status} ${JSON.parse(body).error.code}`
}

/** Longer than anything here takes: what is waited for comes before. */
const PATIENT = { pause: 0, patience: 30_000 }

/** What lies on the disk: drafts, and files in place. */
function onDisk({ config } = docket): { drafts: string[]; files: string[] } {
  const files = join(config.dataDir, 'files')
  const names = (name: string) => {
    try {
      return readdirSync(join(files, name))
    } catch {
      return []
    }
  }
  return { drafts: names('drafts'), files: names(home.workspace) }
}

test('a file of the largest size is taken, declared or in chunks, and the connection goes on', async () => {
  const whole = Array<Buffer>(MAX / CHUNK.length).fill(CHUNK)
  const get = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  const options = { ...PATIENT, replies: 2 }
  const all = await Promise.all([
    exchange(port, [declared(task, MAX), ...whole, get], options),
    exchange(port, [chunked(task), ...asChunks(whole.length), '0\r\n\r\n', get], options),
  ])
  for (const { replies } of all)
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 200],
    )
})

test('a file that is too large is 413: at once when it is declared, else when it is', async () => {
  const files = onDisk().files.length
  const options = { ...PATIENT, hold: true }
  const [told, found] = await Promise.all([
    exchange(port, declared(task, MAX + 1), options),
    exchange(port, [chunked(task), ...asChunks(MAX / CHUNK.length + 1)], options),
  ])
  for (const one of [told, found]) {
    assert.equal(codeOf(one), '413 payload_too_large')
    assert.equal(only(one).headers.connection, 'close')
    assert.ok(one.closed)
  }
  assert.deepEqual(onDisk(), { drafts: [], files: onDisk().files })
  assert.equal(onDisk().files.length, files)
})

test('of a large file that is refused whatever comes, not all is waited for', async () => {
  const unknown = 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3'
  const options = { ...PATIENT, hold: true }
  const all = await Promise.all([
    exchange(port, [declared(unknown, MAX), CHUNK], options),
    exchange(port, [chunked(unknown), ...asChunks(17)], options),
    exchange(port, [declared(task, MAX).replace('filename=a', 'filename=a%2f'), CHUNK], options),
    exchange(port, [declared(task, MAX).replace('filename=a', 'name=a'), CHUNK], options),
  ])
  const codes = ['404 not_found', '404 not_found', '422 validation_failed', '400 invalid_parameter']
  assert.deepEqual(all.map(codeOf), codes)
  assert.ok(all.every(({ closed }) => closed))
  assert.deepEqual(onDisk().drafts, [])
})

test('the bytes of uploads under way count against the quota while they come', async () => {
  const quota = 3 * 1024 * 1024
  const env = { ...ENV, DOCKET_WORKSPACE_ATTACHMENT_BYTES: String(quota) }
  const served = await docketOn('sqlite', env)
  const { storage, server, config } = served
  const { keys, project } = await newHome(storage)
  const body = { project_id: project, title: 'T' }
  const { id } = await made(server, keys.owner, { method: 'POST', url: '/api/v1/tasks', body })
  const to = await portOf(server)
  const begun = head(id, 'Content-Length: 3000000\r\n\r\n').replace(home.keys.owner, keys.owner)
  const most = Array<Buffer>(30).fill(CHUNK)
  const cut = Promise.withResolvers<void>()
  const first = exchange(to, [begun, ...most], { ...PATIENT, hold: true, over: cut.promise })
  const drafted = () => {
    const paths = onDisk(served).drafts.map((name) => join(config.dataDir, 'files/drafts', name))
    return paths.reduce((bytes, path) => bytes + statSync(path).size, 0)
  }
  await until('the bytes of the first', () => drafted() === most.length * CHUNK.length)
  // Each of them would have room by itself, and neither has come to its end.
  const second = await exchange(to, [begun, ...most], { ...PATIENT, hold: true })
  assert.equal(codeOf(second), '409 limit_reached')
  cut.resolve()
  assert.deepEqual((await first).replies, [])
  await until('the end of both', () => onDisk(served).drafts.length === 0)
  const whole = [begun, Buffer.alloc(3_000_000)]
  await until('room', async () => codeOf(await exchange(to, whole, PATIENT)) === '201')
})

test('of an upload whose link is cut nothing is left', async () => {
  const files = onDisk().files.length
  const cut = Promise.withResolvers<void>()
  const half = [declared(task, MAX), ...Array<Buffer>(40).fill(CHUNK)]
  const upload = exchange(port, half, { ...PATIENT, over: cut.promise })
  await until('its beginning', () => onDisk().drafts.length === 1)
  cut.resolve()
  await upload
  await until('its end', () => onDisk().drafts.length === 0)
  assert.equal(onDisk().files.length, files)
})

test('an upload may take longer than other requests, but not for ever, nor without a byte', async (t) => {
  const { server } = docket.server
  const { headersTimeout, requestTimeout } = server
  const usual = { ...PATIENCE }
  t.after(() => {
    Object.assign(server, { headersTimeout, requestTimeout })
    Object.assign(PATIENCE, usual)
  })
  Object.assign(server, { headersTimeout: 300, requestTimeout: 300 })
  const bytes = (count: number) => Array<string>(count).fill('x')
  const long = { wholeMs: 3_600_000, idleMs: 3_600_000 }
  const sent = async (pieces: string[], patience: Partial<typeof PATIENCE>) => {
    Object.assign(PATIENCE, long, patience)
    return exchange(port, pieces, { ...PATIENT, pause: 20 })
  }
  const idle = await sent([declared(task, 25), 'x'], { idleMs: 100 })
  const endless = await sent([declared(task, 9_999), ...bytes(9_999)], { wholeMs: 100 })
  for (const one of [idle, endless]) {
    assert.equal(codeOf(one), '408 request_timeout')
    assert.equal(only(one).headers.connection, 'close')
  }
  Object.assign(PATIENCE, long)
  // The server looks once a second for requests that take too long: this one is there for two looks.
  const pieces = [declared(task, 25), ...bytes(25)]
  const slow = await exchange(port, pieces, { ...PATIENT, pause: 100 })
  assert.equal(codeOf(slow), '201')
  assert.deepEqual(onDisk().drafts, [])
})

test('no workspace keeps the uploads of others out, and more than share the disk well wait', async () => {
  const others = await Promise.all([1, 2].map(() => newHome(docket.storage)))
  const small = (key: string) => declared(task, 5).replace(home.keys.owner, key)
  const cut = Promise.withResolvers<void>()
  const held = { ...PATIENT, hold: true, over: cut.promise }
  const hold = (key: string) => Array.from({ length: 32 }, () => exchange(port, small(key), held))
  const answer = async (key: string) => only(await exchange(port, `${small(key)}Hello`, PATIENT))
  const [second = assert.fail(), third = assert.fail()] = others.map(({ keys }) => keys.owner)
  const waiting = hold(home.keys.owner)
  const mine = () => answer(home.keys.owner)
  await until('places of one', async () => (await mine()).status === 503)
  assert.equal((await mine()).headers['retry-after'], '1')
  assert.equal((await answer(third)).status, 404, 'the task is not theirs, but they were let in')
  waiting.push(...hold(second))
  await until('places of all', async () => (await answer(third)).status === 503)
  cut.resolve()
  await Promise.all(waiting)
  await until('free places', async () => (await mine()).status === 201)
})
