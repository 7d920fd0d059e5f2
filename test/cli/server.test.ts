import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../support/delivering.ts'
import { answerOf, docket, newPlace, serve } from './run.ts'

const OWNER = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']

const statusOf = async (url: string, key: string) =>
  (await fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${key}` } })).status

/** The cookie of a new session of Ada; undefined where the password is not hers. */
async function signedIn(url: string, password: string): Promise<string | undefined> {
  const { headers } = await fetch(`${url}/internal/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password }),
  })
  return headers.getSetCookie()[0]?.split(';')[0]
}

test('what the command line changes binds when it returns, beside a server', async (t) => {
  const place = await newPlace({ DOCKET_LIMIT_FREE: '500' })
  t.after(place.remove)
  const { env, url } = place
  const { child, ended } = await serve(env)
  t.after(() => child.kill('SIGKILL'))
  assert.deepEqual(await answerOf(env, 'health'), { status: 'ready', checks: { database: 'ok' } })

  const acme = await answerOf(env, 'workspace', 'create', ...OWNER)
  const [id, user, key] = [acme.workspace_id ?? '', acme.user_id ?? '', acme.api_key ?? '']
  assert.equal(await statusOf(url, key), 200)
  const workspace = ['--workspace', id]
  await answerOf(env, 'workspace', 'set-plan', ...workspace, '--plan', 'paid')
  const headers = { authorization: `Bearer ${key}` }
  const reply = await fetch(`${url}/api/v1/projects`, { headers })
  assert.equal(reply.headers.get('x-ratelimit-limit'), '5000')

  const other = await answerOf(
    env,
    ...['key', 'create', ...workspace, '--user', user, '--scopes', 'read_only'],
  )
  const another = other.api_key ?? ''
  assert.equal(await statusOf(url, another), 200)
  await answerOf(env, 'key', 'revoke', '--key', other.id ?? '')
  assert.equal(await statusOf(url, another), 401)
  assert.equal(await statusOf(url, key), 200)

  const cookie = await signedIn(url, acme.owner_password ?? '')
  const session = () => fetch(`${url}/internal/session`, { headers: { cookie: cookie ?? '' } })
  assert.equal((await session()).status, 200)
  const reset = await answerOf(env, 'user', 'reset-password', '--email', 'ada@example.com')
  assert.equal((await session()).status, 401)
  assert.equal(await signedIn(url, acme.owner_password ?? ''), undefined)
  assert.ok(await signedIn(url, reset.password ?? ''))

  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  assert.equal((await docket(env, 'health')).code, 1)
})

test('the command line works on PostgreSQL, too', async (t) => {
  const place = await newPlace({
    DOCKET_DATABASE_URL: process.env.TEST_POSTGRES ?? '',
    DOCKET_SECRET: 'a secret of the tests only',
  })
  t.after(place.remove)
  const { env } = place
  const email = `${process.pid}.${Date.now()}@example.com`
  const owner = ['--name', 'Acme', '--owner-email', email, '--owner-name', 'Ada']
  const acme = await answerOf(env, 'workspace', 'create', ...owner)
  const keys = await answerOf<{ data: object[] }>(
    env,
    ...['key', 'list', '--workspace', acme.workspace_id ?? ''],
  )
  assert.equal(keys.data.length, 1)
  const { applied } = await answerOf<{ applied: string[] }>(env, 'migrate')
  assert.deepEqual(applied, [])
})

test('a data directory has one server, and a port one listener', async (t) => {
  const [place, elsewhere] = [await newPlace(), await newPlace()]
  t.after(place.remove)
  t.after(elsewhere.remove)
  const { child, ended } = await serve(place.env)
  t.after(() => child.kill('SIGKILL'))
  const second = await serve({ ...place.env, DOCKET_PORT: '0' })
  assert.deepEqual([second.serves, (await second.ended).code], [false, 1])
  assert.match(second.stderr(), /^Another Docket serves .*: stop it first/)
  const port = { DOCKET_PORT: place.env.DOCKET_PORT }
  const third = await serve({ ...elsewhere.env, ...port })
  assert.deepEqual([third.serves, (await third.ended).code], [false, 1])
  assert.match(third.stderr(), /^Something listens on .* already/)

  child.kill('SIGKILL')
  await ended
  const heir = await serve(place.env)
  assert.equal(heir.serves, true, 'the system frees the lock of a killed server')
  heir.child.kill('SIGTERM')
  assert.equal((await heir.ended).code, 0)
})

test('a damaged database is not served after an unclean stop', async (t) => {
  const { env, dataDir, remove } = await newPlace()
  t.after(remove)
  await answerOf(env, 'workspace', 'create', ...OWNER)
  const first = await serve(env)
  first.child.kill('SIGTERM')
  await first.ended
  assert.equal(existsSync(join(dataDir, 'running')), false, 'a clean stop leaves no mark')
  const killed = await serve(env)
  killed.child.kill('SIGKILL')
  await killed.ended
  assert.equal(existsSync(join(dataDir, 'running')), true)
  damage(join(dataDir, 'docket.db'))
  const { serves, ended } = await serve(env)
  const { code, stderr } = await ended
  assert.deepEqual([serves, code], [false, 1])
  assert.match(stderr, /docket\.db is damaged .*last backup/)
})

/** Pages of the schema stay as they are, so that only a check can tell. */
function damage(path: string): void {
  const { length } = readFileSync(path)
  const file = openSync(path, 'r+')
  const noise = Buffer.alloc(64, 0xa5)
  for (let at = length - 40 * 4096; at < length; at += 4096) writeSync(file, noise, 0, 64, at)
}

test('a stopping server finishes what is under way, and says that it is not ready', async (t) => {
  const place = await newPlace({ DOCKET_DRAIN_SECONDS: '2' })
  t.after(place.remove)
  const { env, url } = place
  const { api_key = '' } = await answerOf(env, 'workspace', 'create', ...OWNER)
  const { child, ended } = await serve(env)
  t.after(() => child.kill('SIGKILL'))
  const slow = connect(Number(env.DOCKET_PORT), '127.0.0.1')
  const head = `GET /api/v1/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api_key}\r\n`
  slow.write(head)
  let reply = ''
  slow.on('data', (chunk) => {
    reply += chunk
  })
  child.kill('SIGTERM')
  await until('a readiness that is denied', async () => {
    const ready = await fetch(`${url}/readyz`)
    return ready.status === 503 && ready.headers.get('connection') === 'close'
  })
  assert.equal(await statusOf(url, api_key), 200, 'it still accepts')
  slow.write('\r\n')
  await once(slow, 'close')
  assert.match(reply, /^HTTP\/1\.1 200 /)
  assert.equal((await ended).code, 0)
})

test('a second signal ends a server at once', async (t) => {
  const { env, url, remove } = await newPlace({ DOCKET_DRAIN_SECONDS: '20' })
  t.after(remove)
  const { child, ended } = await serve(env)
  child.kill('SIGINT')
  await until('the first signal', async () => (await fetch(`${url}/readyz`)).status === 503)
  child.kill('SIGTERM')
  // Without the second it would end in order, 20 seconds later, and with 0.
  assert.equal((await ended).code, 1)
})

test('a request leaves one line, and no secret in it', async (t) => {
  const { env, url, remove } = await newPlace()
  t.after(remove)
  const acme = await answerOf(env, 'workspace', 'create', ...OWNER)
  const key = acme.api_key ?? ''
  const { child, ended } = await serve(env)
  const headers = { authorization: `Bearer ${key}`, cookie: 'docket_session=hidden' }
  await fetch(`${url}/api/v1/projects/prj_hidden?limit=7`, { headers })
  child.kill('SIGTERM')
  const { stderr } = await ended
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [line, ...others] = lines.filter(({ request_id }) => request_id !== undefined)
  const { time, ms, request_id, ...rest } = line
  assert.deepEqual(rest, {
    level: 30,
    method: 'GET',
    route: '/api/v1/projects/:id',
    status: 400,
    workspace_id: acme.workspace_id,
    credential_id: acme.api_key_id,
  })
  assert.match(request_id, /^req_/)
  assert.ok(time && ms >= 0)
  assert.deepEqual(others, [])
  assert.doesNotMatch(stderr, new RegExp(`${key}|hidden|limit`))
})
