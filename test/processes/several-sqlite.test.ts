import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { docket } from '../cli/run.ts'
import { BALANCED } from '../experiments/balanced.ts'
import { drained } from '../experiments/drain.ts'
import { send } from '../experiments/load.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { openLive } from '../support/live.ts'
import { oneMinute } from '../support/one-minute.ts'
import { end, isReady, SECRET, settle, start } from '../support/process.ts'
import { type SignedIn, sessionOf } from '../support/session.ts'
import { ask, askAll, figures, PROCESSES, type Several, startSeveral } from '../support/several.ts'
import { until } from '../support/until.ts'

const TURNS = 40
const dataDir = emptyDir()
const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_DEMO: '0' }
let server: Several
let home: Home
let session: SignedIn

before(async () => {
  home = await settle(dataDir)
  const { storage } = await openStore(configFrom(env))
  session = await sessionOf(storage, home, 'owner').finally(() => storage.close())
  server = await startSeveral(dataDir, { env: BALANCED })
  // What a browser sends has the address of this server.
  session.headers.origin = `http://127.0.0.1:${server.port}`
})
after(() => end(server, 'SIGKILL'))

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function newTask(title: string): Promise<string> {
  const body = { project_id: home.project, title }
  const reply = await ask(server.port, 'POST', '/api/v1/tasks', bearer(home.keys.owner), body)
  assert.equal(reply.status, 201, reply.body)
  return JSON.parse(reply.body).id
}

test('what one process has acknowledged every other one shows at once', async () => {
  const path = `/api/v1/tasks/${await newTask('Seen')}`
  const key = bearer(home.keys.owner)
  for (let turn = 0; turn < TURNS; turn += 1) {
    const title = `Turn ${turn}`
    const changed = await ask(server.port, 'PATCH', path, key, { title })
    assert.equal(changed.status, 200, changed.body)
    const { etag = '' } = changed.headers
    for (const { status, body, headers } of await askAll(server.port, path, key)) {
      assert.deepEqual([status, JSON.parse(body).title, headers.etag], [200, title, etag])
    }
  }
  const said = await figures(server.port)
  const counted = (method: string) =>
    Number(
      new RegExp(
        `^docket_http_request_duration_seconds_count\\{method="${method}",route="/api/v1/tasks/:id",status="200"\\} (\\d+)$`,
        'm',
      ).exec(said)?.[1],
    )
  assert.deepEqual(
    [counted('PATCH'), counted('GET')],
    [TURNS, TURNS * PROCESSES],
    'each is counted once',
  )
})

test('live pages on every process hear what is written through any', async () => {
  const { headers } = session
  const lives = await Promise.all(
    Array.from({ length: PROCESSES }, () => openLive(server.port, headers)),
  )
  for (const { reply } of lives) assert.equal(reply.statusCode, 200)
  for (let turn = 1; turn <= PROCESSES; turn += 1) {
    const id = await newTask(`Heard ${turn}`)
    for (const live of lives) {
      const notice = (await live.until(turn)).at(-1)?.notice
      assert.deepEqual([notice?.noun, notice?.op, notice?.id], ['task', 'create', id])
    }
  }
  // What a page reads on one process says from where it hears on at another.
  for (const boot of await askAll(server.port, '/internal/boot', headers)) {
    assert.equal(JSON.parse(boot.body).notice, lives[0]?.lastId())
  }
  const after = lives[0]?.lastId() ?? ''
  for (const live of lives) live.close()
  const id = await newTask('Missed')
  const back = await openLive(server.port, headers, { after })
  assert.equal((await back.until(1))[0]?.notice.id, id)
  back.close()
})

test('a file goes up and comes down through any process', async () => {
  const url = `http://127.0.0.1:${server.port}`
  const path = `/api/v1/tasks/${await newTask('With files')}/attachments`
  const headers = { ...bearer(home.keys.owner), connection: 'close' }
  for (let turn = 0; turn < PROCESSES; turn += 1) {
    const bytes = randomBytes(3_000_000)
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'bytes.bin')
    const made = await fetch(`${url}${path}`, { method: 'POST', headers, body: form })
    const { id } = (await made.json()) as { id: string }
    assert.equal(made.status, 201)
    for (let of = 0; of < PROCESSES; of += 1) {
      const down = await fetch(`${url}/api/v1/attachments/${id}/content`, { headers })
      assert.ok(bytes.equals(Buffer.from(await down.arrayBuffer())))
    }
  }
  for (let turn = 0; turn < PROCESSES; turn += 1) {
    const { status, code } = await tooLarge(path)
    assert.deepEqual([status, code], [413, 'payload_too_large'])
  }
})

/** Announces more than is taken, and has sent some of it when it is answered. */
async function tooLarge(path: string): Promise<{ status: number | undefined; code: string }> {
  const type = { 'content-type': 'text/plain', 'content-length': '200000000' }
  const headers = { ...bearer(home.keys.owner), ...type }
  const asked = request({ port: server.port, method: 'POST', path, headers, agent: false })
  asked.write(randomBytes(1_000_000))
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  const { error } = JSON.parse(await text(reply))
  asked.destroy()
  return { status: reply.statusCode, code: error.code }
}

test('clients that break off disturb nobody', async () => {
  const before = [server.writer(), ...server.readers()]
  const path = `/api/v1/tasks/${await newTask('Broken off')}/attachments?filename=broken`
  const type = { 'content-type': 'text/plain', 'content-length': '5000000' }
  const headers = { ...bearer(home.keys.owner), ...type }
  for (let turn = 0; turn < 10 * PROCESSES; turn += 1) {
    const asked = request({ port: server.port, method: 'POST', path, headers, agent: false })
    asked.on('error', () => {}).write(randomBytes(100_000 * (turn % 5)))
    const live = request({ port: server.port, path: '/internal/live', headers: session.headers })
    live.on('error', () => {}).end()
    setTimeout(() => asked.destroy(), 5 * (turn % 10))
    setTimeout(() => live.destroy(), 3 * (turn % 10))
    await pause(10)
  }
  for (const idle of [/^docket_http_requests_in_flight 1$/m, /^docket_live_streams 0$/m]) {
    await until(String(idle), async () => idle.test(await figures(server.port)))
  }
  assert.deepEqual([server.writer(), ...server.readers()], before)
  for (const { body } of await askAll(
    server.port,
    path.split('?')[0] ?? '',
    bearer(home.keys.owner),
  )) {
    assert.deepEqual(JSON.parse(body).data, [])
  }
})

test('a key that is revoked, by the app or beside it, is refused everywhere', async () => {
  const { headers } = session
  const makes = { name: 'To be revoked', scopes: ['tasks:read'] }
  const keys: { id: string; api_key: string }[] = []
  for (let n = 0; n < 2; n += 1) {
    const made = await ask(server.port, 'POST', '/internal/api-keys', headers, makes)
    assert.equal(made.status, 201, made.body)
    keys.push(JSON.parse(made.body))
  }
  const [first, second] = keys
  const statuses = async (key = '') =>
    (await askAll(server.port, '/api/v1/tasks?limit=1', bearer(key))).map(({ status }) => status)
  const [open, refused] = [200, 401].map((status) =>
    Array.from({ length: PROCESSES }, () => status),
  )
  assert.deepEqual(await statuses(first?.api_key), open)
  assert.deepEqual(await statuses(second?.api_key), open)
  const gone = await ask(server.port, 'DELETE', `/internal/api-keys/${first?.id}`, headers)
  assert.equal(gone.status, 204, gone.body)
  const isRefused = async () => isDeepStrictEqual(await statuses(first?.api_key), refused)
  await until('refusals', isRefused)
  for (let again = 0; again < 3; again += 1) assert.ok(await isRefused(), 'for good')
  // The command line returns when it binds everywhere.
  const ran = await docket(env, 'key', 'revoke', '--key', second?.id ?? '')
  assert.equal(ran.code, 0, ran.stderr)
  assert.deepEqual(await statuses(second?.api_key), refused)
})

test('one server has a directory, of however many processes', async () => {
  for (const processes of ['1', '3']) {
    const other = await start(dataDir, { env: { DOCKET_PROCESSES: processes } }).catch(String)
    assert.match(String(other), /Another Docket serves /)
  }
})

test('limits are exact over all processes, and failures are of the client who failed', async (t) => {
  const limitedDir = emptyDir()
  const { keys, project } = await settle(limitedDir)
  const limits = { DOCKET_LIMIT_PAID: '30', DOCKET_UNAUTHENTICATED_LIMIT: '5', ...oneMinute() }
  const limited = await startSeveral(limitedDir, { env: limits })
  t.after(() => end(limited, 'SIGKILL'))
  const { port } = limited
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const body = n % 2 === 0 ? undefined : { project_id: project, title: `Task ${n}` }
      const reply = await ask(
        port,
        body ? 'POST' : 'GET',
        '/api/v1/tasks',
        bearer(keys.owner),
        body,
      )
      return reply.status
    }),
  )
  assert.equal(statuses.filter((status) => status === 200 || status === 201).length, 30)
  assert.equal(statuses.filter((status) => status === 429).length, 30)
  let tries = 0
  // Writes are judged by the one that writes: of each client by the address from which it came.
  const fails = (localAddress: string) => {
    const agent = new Agent({ localAddress })
    const headers = { ...bearer('wrong'), 'docket-client': `198.51.100.${tries++}` }
    return send(agent, port, 'POST', '/api/v1/tasks', headers, {}).then(({ status }) => status)
  }
  const some: number[] = []
  for (let n = 0; n < 8; n += 1) some.push(await fails('127.0.0.1'))
  assert.deepEqual(some, [401, 401, 401, 401, 401, 429, 429, 429])
  assert.equal(await fails('127.0.0.2'), 401)

  // Each of these is known to another process alone.
  for (const key of [keys.admin, keys.member, keys.guest]) {
    assert.equal((await ask(port, 'GET', '/api/v1/me', bearer(key))).status, 429)
  }
  // What readers have counted and noted is handed over at the latest when they end.
  assert.equal(await end(limited, 'SIGTERM'), 0)
  const db = new DatabaseSync(join(limitedDir, 'docket.db'))
  const counts = db.prepare('select sum(used) used, sum(refused) refused from request_counts').get()
  const used = db
    .prepare('select count(*) count from api_keys where last_used_at is not null')
    .get()
  db.close()
  assert.deepEqual([counts?.used, counts?.refused, used?.count], [30, 33, 4])
})

test('several that are stopped under load fail no request and end with 0', async () => {
  const { sent, failed, exits } = await drained({
    rounds: 1,
    begin: (dir, options) => startSeveral(dir, options),
  })
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0])
  assert.ok(sent > 30, `${sent} requests`)
})

test('files that are coming in when all are stopped come in whole', async () => {
  const path = `/api/v1/tasks/${await newTask('Last')}/attachments?filename=last`
  const type = { 'content-type': 'text/plain', 'content-length': '400000' }
  const headers = { ...bearer(home.keys.owner), ...type }
  const drafts = join(dataDir, 'files/drafts')
  mkdirSync(drafts, { recursive: true })
  const before = readdirSync(drafts).length
  const stopping = Promise.withResolvers<void>()
  const uploads = Array.from({ length: PROCESSES }, async () => {
    const asked = request({ port: server.port, method: 'POST', path, headers, agent: false })
    const replied = once(asked, 'response') as Promise<[IncomingMessage]>
    asked.write(randomBytes(100_000))
    const sent = stopping.promise.then(() => asked.end(randomBytes(300_000)))
    const [[reply]] = await Promise.all([replied, sent])
    reply.resume()
    return reply.statusCode
  })
  // Awaited from here on: one that is cut off before all are stopped fails this test alone.
  const replies = Promise.allSettled(uploads)
  await until('a draft of each', () => readdirSync(drafts).length - before === uploads.length)
  const ended = end(server, 'SIGTERM')
  await until('no more connections', async () => !(await isReady(server.port)))
  stopping.resolve()
  const whole = { status: 'fulfilled', value: 201 }
  assert.deepEqual(await replies, [whole, whole, whole])
  assert.equal(await ended, 0)
})
