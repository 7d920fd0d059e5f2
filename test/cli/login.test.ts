import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { until } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import { personAt } from '../support/person.ts'
import { begun, newComputer } from './computer.ts'
import { answerOf, docket, newPlace, serve } from './run.ts'

type Env = Record<string, string>

const place = await newPlace({ DOCKET_DRAIN_SECONDS: '0' })
after(place.remove)
const { url } = place
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await answerOf(place.env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const inAcme = ['--workspace', acme.workspace_id ?? '']
const { id: project_id } = await answerOf(
  place.env,
  ...['project', 'create', ...inAcme, '--name', 'Engineering'],
)
const server = await serve(place.env)
after(() => server.child.kill('SIGKILL'))
const ada = await personAt(url, 'ada@example.com', acme.owner_password ?? '')

const credentialsIn = (file: string): Env => JSON.parse(readFileSync(file, 'utf8'))

/** Signs in and gives what was printed. */
async function signedIn(t: TestContext, env: Env, ...words: string[]) {
  const login = await begun(t, env, '--no-browser', '--json', ...words)
  const shown = await ada.open(login.address)
  assert.match(shown.text, /You are signed in/)
  const { code, stdout, stderr } = await login.end()
  assert.equal(code, 0, stderr)
  return { printed: JSON.parse(stdout), stdout, stderr }
}

/** What is refused: its code. */
async function refusal(env: Env, ...words: string[]): Promise<string> {
  const { code, stderr } = await docket(env, ...words)
  assert.equal(code, 1, stderr)
  return JSON.parse(stderr).error.code
}

test('somebody signs in by the browser, asks the API, and signs out', async (t) => {
  const { env, file } = newComputer(url)
  assert.equal(await refusal(env, 'whoami'), 'authentication_required')
  const { printed, stdout, stderr } = await signedIn(t, env)
  const { scopes, ...who } = printed
  const ids = { user_id: acme.user_id, workspace_id: acme.workspace_id }
  const named = { name: 'Ada', email: 'ada@example.com', role: 'owner', workspace: 'Acme' }
  assert.deepEqual(who, { url, ...ids, ...named })
  assert.equal(scopes.length, 21)
  const kept = credentialsIn(file)
  assert.partialDeepStrictEqual(kept, { url, client_id: 'app_00000000000000000000000001', ...ids })
  for (const secret of [kept.access_token, kept.refresh_token]) {
    assert.ok(secret && !`${stdout}${stderr}`.includes(secret))
  }
  assert.deepEqual(readdirSync(join(file, '..')), ['credentials.json'])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700)
  assert.ok(!existsSync(env.DOCKET_DATA_DIR ?? ''))

  assert.deepEqual(await answerOf(env, 'whoami'), printed)
  const data = JSON.stringify({ project_id, title: 'From a terminal' })
  const task = await answerOf(env, 'api', 'post', '/tasks', '--data', data)
  assert.deepEqual([task.title, task.created_by_id], ['From a terminal', acme.user_id])
  const listed = await docket(env, 'api', 'GET', '/api/v1/tasks?limit=1')
  assert.equal(JSON.parse(listed.stdout).data[0].id, task.id)
  assert.equal(await refusal(env, 'api', 'GET', '/tasks/ENG-99'), 'not_found')
  assert.equal(await refusal(env, 'api', 'POST', '/tasks', '--data', '{}'), 'validation_failed')
  assert.equal(await refusal(env, 'api', 'GET', '/../../internal/session'), 'route_not_found')
  assert.equal(await refusal(env, 'api', 'GET', '.example.com/'), 'route_not_found')
  assert.equal((await docket(env, 'api', 'GET')).code, 2)
  assert.equal((await docket(env, 'api', 'GET', '/me', 'now')).code, 2)

  assert.deepEqual(await answerOf(env, 'logout'), { url, signed_in: false })
  assert.ok(!existsSync(file))
  assert.equal(await refusal(env, 'logout'), 'authentication_required')
  const headers = { authorization: `Bearer ${kept.access_token}` }
  assert.equal((await fetch(`${url}/api/v1/me`, { headers })).status, 401)
})

test('tokens are renewed before they end, by two at once as well', async (t) => {
  const { env, file } = newComputer(url)
  await signedIn(t, env, '--scopes', 'tasks:read')
  const first = credentialsIn(file)
  writeFileSync(file, JSON.stringify({ ...first, expires_at: new Date().toISOString() }))
  const [one, other] = await Promise.all([answerOf(env, 'whoami'), answerOf(env, 'whoami')])
  assert.deepEqual([one.scopes, other.scopes], [['tasks:read'], ['tasks:read']])
  const second = credentialsIn(file)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal((await answerOf(env, 'whoami')).name, 'Ada')

  // A token that has ended before its time, as one does where the clock is wrong.
  writeFileSync(file, JSON.stringify({ ...second, access_token: first.refresh_token }))
  assert.equal((await answerOf(env, 'whoami')).name, 'Ada')
  const third = credentialsIn(file)
  assert.notEqual(third.refresh_token, second.refresh_token)

  // Whoever signs in again is done with what was before; what the person ends has ended here, too.
  await signedIn(t, env)
  const headers = { authorization: `Bearer ${third.access_token}` }
  assert.equal((await fetch(`${url}/api/v1/me`, { headers })).status, 401)
  const grants = (await (await ada.send(new URL('/internal/grants', url))).json()) as {
    data: { id: string }[]
  }
  assert.equal(grants.data.length, 1)
  await ada.send(new URL(`/internal/grants/${grants.data[0]?.id}`, url), 'DELETE')
  assert.equal(await refusal(env, 'whoami'), 'invalid_token')
})

test('the address is opened in the browser, and only who was sent there is believed', async (t) => {
  const { env, file } = newComputer(url)
  const bin = emptyDir()
  for (const name of ['xdg-open', 'open']) {
    // Renamed: a file that is there is whole.
    const script = `printf %s "$1" > '${bin}/draft' && mv '${bin}/draft' '${bin}/opened'`
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const login = await begun(t, { ...env, PATH: `${bin}:${process.env.PATH}` })
  await until('the browser', () => existsSync(join(bin, 'opened')))
  assert.equal(readFileSync(join(bin, 'opened'), 'utf8'), login.address)

  for (const query of ['', '?code=1&state=wrong', '?error=access_denied']) {
    assert.equal((await fetch(login.redirect_uri + query)).status, 404)
  }
  const state = new URL(login.address).searchParams.get('state') ?? ''
  const mixed = new URLSearchParams({ code: 'x', state, iss: 'https://evil.example' })
  const reply = await fetch(`${login.redirect_uri}?${mixed}`)
  assert.deepEqual([reply.status, reply.headers.get('cache-control')], [400, 'no-store'])
  const { code, stderr } = await login.end()
  assert.equal(code, 1)
  assert.match(stderr, /iss/)
  assert.ok(!existsSync(file))

  const denied = await begun(t, env, '--no-browser')
  const shown = await ada.open(denied.address, { decision: 'deny' })
  assert.match(shown.text, /You are not signed in/)
  assert.match((await denied.end()).stderr, /"code":"access_denied"/)
})

test('a Docket that is not there, or is called otherwise, is told', async () => {
  const { env } = newComputer(url)
  const failed = async (...words: string[]) => {
    const { code, stderr } = await docket(env, 'login', '--no-browser', ...words)
    assert.equal(code, 1)
    return JSON.parse(stderr).error
  }
  assert.equal((await failed('--url', 'http://127.0.0.1:1')).code, 'unavailable')
  assert.match(
    (await failed('--url', url.replace('127.0.0.1', 'localhost'))).message,
    /its address/,
  )
  assert.equal((await failed('--url', `${url}/docs`)).code, 'validation_failed')
  assert.equal((await failed('--scopes', 'tasks:eat')).code, 'validation_failed')
})
