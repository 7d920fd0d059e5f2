import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTempDir } from '../support/system/temp-dir.ts'
import { newInstallation, runCliWithInput, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const OWNER = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']

const statusOf = async (url: string, key: string) =>
  (await fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${key}` } })).status

/** The cookie of a new session of Ada; undefined if the password is wrong. */
async function signIn(url: string, password: string): Promise<string | undefined> {
  const { headers } = await fetch(`${url}/internal/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password }),
  })
  return headers.getSetCookie()[0]?.split(';')[0]
}

test('a running server applies changes of the command line at once', async (t) => {
  const installation = await newInstallation({ DOCKET_LIMIT_FREE: '500' })
  t.after(installation.remove)
  const { env, url } = installation
  const { child, ended } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  assert.deepEqual(await runHostedCliJson(env, 'health'), {
    status: 'ready',
    checks: { database: 'ok' },
  })

  const acme = await runHostedCliJson(env, 'workspace', 'create', ...OWNER)
  const [id, user, key] = [acme.workspace_id ?? '', acme.user_id ?? '', acme.api_key ?? '']
  assert.equal(await statusOf(url, key), 200)
  const workspace = ['--workspace', id]
  await runHostedCliJson(env, 'workspace', 'set-plan', ...workspace, '--plan', 'paid')
  const headers = { authorization: `Bearer ${key}` }
  const reply = await fetch(`${url}/api/v1/projects`, { headers })
  assert.equal(reply.headers.get('x-ratelimit-limit'), '5000')

  const other = await runHostedCliJson(
    env,
    'key',
    'create',
    ...workspace,
    '--user',
    user,
    '--scopes',
    'read_only',
  )
  const another = other.api_key ?? ''
  assert.equal(await statusOf(url, another), 200)
  await runHostedCliJson(env, 'key', 'revoke', '--yes', '--key', other.id ?? '')
  assert.equal(await statusOf(url, another), 401)
  assert.equal(await statusOf(url, key), 200)

  const cookie = await signIn(url, acme.owner_password ?? '')
  const session = () => fetch(`${url}/internal/session`, { headers: { cookie: cookie ?? '' } })
  assert.equal((await session()).status, 200)
  const reset = await runHostedCliJson(
    env,
    'user',
    'reset-password',
    '--yes',
    '--email',
    'ada@example.com',
  )
  assert.equal((await session()).status, 401)
  assert.equal(await signIn(url, acme.owner_password ?? ''), undefined)
  const resetCookie = await signIn(url, reset.password ?? '')
  const set = ['user', 'set-password', 'Ada@example.com', '--stdin', '--json']
  const { stdout } = await runCliWithInput(env, 'tulips in the rain\n', ...set)
  assert.deepEqual(JSON.parse(stdout), { user_id: user })
  const replaced = await fetch(`${url}/internal/session`, {
    headers: { cookie: resetCookie ?? '' },
  })
  assert.equal(replaced.status, 401)
  assert.equal(await signIn(url, reset.password ?? ''), undefined)
  assert.ok(await signIn(url, 'tulips in the rain'))

  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  assert.equal((await runHostedCli(env, 'health')).code, 1)
})

test('settings prints what is in force and where it comes from, without secrets', async (t) => {
  const { env, dataDir, remove } = await newInstallation({
    DOCKET_METRICS_TOKEN: 'hunter2',
    DOCKET_SMTP_URL: 'smtp://ada:hunter2@mail.example.com?token=hunter2',
    DOCKET_MAIL_FROM: 'docket@example.com',
  })
  t.after(remove)
  const tokenFile = join(dataDir, 'url')
  writeFileSync(tokenFile, 'postgres://docket:hunter2@db.example.com/docket\n')
  const inFile = { ...env, DOCKET_DATABASE_LISTEN_URL_FILE: tokenFile }
  const report = await runHostedCliJson<{ data: { name: string }[]; mistakes: string[] }>(
    inFile,
    'settings',
  )
  assert.doesNotMatch(JSON.stringify(report), /hunter2/)
  const names = ['DATABASE_LISTEN_URL', 'DATA_DIR', 'HOST', 'METRICS_TOKEN', 'SECRET', 'SMTP_URL']
  const wanted = new Set(names.map((name) => `DOCKET_${name}`))
  const [path, source] = [null, 'environment']
  assert.deepEqual(
    report.data.filter(({ name }) => wanted.has(name)),
    [
      {
        name: 'DOCKET_DATABASE_LISTEN_URL',
        value: 'postgres://docket:hidden@db.example.com/docket',
        source: 'file',
        path: tokenFile,
      },
      { name: 'DOCKET_DATA_DIR', value: dataDir, source, path },
      { name: 'DOCKET_HOST', value: '127.0.0.1', source: 'default', path },
      { name: 'DOCKET_METRICS_TOKEN', value: 'hidden', source, path },
      {
        name: 'DOCKET_SECRET',
        value: null,
        source: 'data_directory',
        path: join(dataDir, 'secret'),
      },
      { name: 'DOCKET_SMTP_URL', value: 'smtp://ada:hidden@mail.example.com?hidden', source, path },
    ],
  )
  assert.deepEqual(readdirSync(dataDir), ['url'])
  const wrong = await runHostedCli({ ...inFile, DOCKET_PROT: '1' }, 'settings')
  assert.equal(wrong.code, 1)
  assert.match(
    wrong.stdout,
    /^MISTAKE {2}DOCKET_PROT is not a setting; did you mean DOCKET_PORT\?$/m,
  )
  assert.match(wrong.stdout, /^DOCKET_DATABASE_LISTEN_URL .* file \/.*url$/m)
})

test('a second server on the same data directory fails to start, and one after a kill serves', async (t) => {
  const installation = await newInstallation()
  t.after(installation.remove)
  const { env, dataDir, url } = installation
  const acme = await runHostedCliJson(env, 'workspace', 'create', ...OWNER)
  const { child, ended } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  const second = await spawnServer({ ...env, DOCKET_PORT: '0' })
  t.after(() => second.child.kill('SIGKILL'))
  assert.equal(second.serves, false)
  assert.equal((await second.ended).code, 1)
  assert.match(second.stderr(), /^Another Docket server uses .*\. Stop it first/)

  child.kill('SIGKILL')
  await ended
  await t.test('a damaged database is not served after an unclean stop', async () => {
    assert.equal(existsSync(join(dataDir, 'running')), true)
    const copy = createTempDir()
    cpSync(dataDir, copy, { recursive: true })
    damage(join(copy, 'docket.db'))
    const damaged = await spawnServer({ ...env, DOCKET_DATA_DIR: copy })
    t.after(() => damaged.child.kill('SIGKILL'))
    assert.equal(damaged.serves, false)
    const { code, stderr } = await damaged.ended
    assert.equal(code, 1)
    assert.match(stderr, /docket\.db is damaged .*last backup/)
  })
  const successor = await spawnServer(env)
  t.after(() => successor.child.kill('SIGKILL'))
  assert.equal(successor.serves, true, 'the system frees the lock of a killed server')
  await t.test('each request logs one line without secrets', async () => {
    const headers = { authorization: `Bearer ${acme.api_key}`, cookie: 'docket_session=hidden' }
    await fetch(`${url}/api/v1/projects/prj_hidden?limit=7`, { headers })
    successor.child.kill('SIGTERM')
    const { code, stderr } = await successor.ended
    assert.equal(code, 0)
    assertRequestLog(stderr, acme)
    assert.equal(existsSync(join(dataDir, 'running')), false, 'a clean stop leaves no mark')
  })
})

/** Asserts that a server has logged one request of this API key, and nothing secret. */
function assertRequestLog(stderr: string, acme: Record<string, string>): void {
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
    address: '127.0.0.1',
  })
  assert.match(request_id, /^req_/)
  assert.ok(time && ms >= 0)
  assert.deepEqual(others, [])
  assert.doesNotMatch(stderr, new RegExp(`${acme.api_key}|hidden|limit`))
}

/** Damages only data pages and leaves the schema intact, so that only a check can find it. */
function damage(path: string): void {
  const { length } = readFileSync(path)
  const file = openSync(path, 'r+')
  const noise = Buffer.alloc(64, 0xa5)
  for (let at = length - 40 * 4096; at < length; at += 4096) writeSync(file, noise, 0, 64, at)
}
