import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { signInPerson } from '../support/world/signed-in-person.ts'
import { newClientMachine, startLogin } from './login-process.ts'
import { type CliEnv, newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation({ DOCKET_DRAIN_SECONDS: '0' })
after(installation.remove)
const { url } = installation
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await runHostedCliJson(
  installation.env,
  'workspace',
  'create',
  '--name',
  'Acme',
  ...OWNER,
)
const inAcme = ['--workspace', acme.workspace_id ?? '']
const { id: project_id } = await runHostedCliJson(
  installation.env,
  'project',
  'create',
  ...inAcme,
  '--name',
  'Engineering',
)
const server = await spawnServer(installation.env)
after(() => server.child.kill('SIGKILL'))
const ada = await signInPerson(url, 'ada@example.com', acme.owner_password ?? '')

const credentialsIn = (file: string): CliEnv => JSON.parse(readFileSync(file, 'utf8'))

/** Runs `docket login` to its end and returns the output. */
async function login(t: TestContext, env: CliEnv, ...words: string[]) {
  const loginProcess = await startLogin(t, env, '--no-browser', '--json', ...words)
  const shown = await ada.open(loginProcess.address)
  assert.match(shown.text, /You are signed in/)
  const { code, stdout, stderr } = await loginProcess.end()
  assert.equal(code, 0, stderr)
  return { output: JSON.parse(stdout), stdout, stderr }
}

/** Runs a command that must fail, and returns its error code. */
async function errorCodeOf(env: CliEnv, ...words: string[]): Promise<string> {
  const { code, stderr } = await runHostedCli(env, ...words)
  assert.equal(code, 1, stderr)
  return JSON.parse(stderr).error.code
}

test('docket login by browser, api calls and logout', async (t) => {
  const { env, file } = newClientMachine(url)
  assert.equal(await errorCodeOf(env, 'whoami'), 'authentication_required')
  const { output, stdout, stderr } = await login(t, env)
  const { scopes, ...who } = output
  const ids = { user_id: acme.user_id, workspace_id: acme.workspace_id }
  const named = { name: 'Ada', email: 'ada@example.com', role: 'owner', workspace: 'Acme' }
  assert.deepEqual(who, { url, ...ids, ...named })
  assert.equal(scopes.length, 21)
  const credentials = credentialsIn(file)
  assert.partialDeepStrictEqual(credentials, {
    url,
    client_id: 'app_00000000000000000000000001',
    ...ids,
  })
  for (const secret of [credentials.access_token, credentials.refresh_token]) {
    assert.ok(secret && !`${stdout}${stderr}`.includes(secret))
  }
  assert.deepEqual(readdirSync(join(file, '..')), ['credentials.json'])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700)
  assert.ok(!existsSync(env.DOCKET_DATA_DIR ?? ''))

  assert.deepEqual(await runHostedCliJson(env, 'whoami'), output)
  const data = JSON.stringify({ project_id, title: 'From a terminal' })
  const task = await runHostedCliJson(env, 'api', 'post', '/tasks', '--data', data)
  assert.deepEqual([task.title, task.created_by_id], ['From a terminal', acme.user_id])
  const listed = await runHostedCli(env, 'api', 'GET', '/api/v1/tasks?limit=1')
  assert.equal(JSON.parse(listed.stdout).data[0].id, task.id)
  assert.equal(await errorCodeOf(env, 'api', 'GET', '/tasks/ENG-99'), 'not_found')
  assert.equal(await errorCodeOf(env, 'api', 'POST', '/tasks', '--data', '{}'), 'validation_failed')
  assert.equal(await errorCodeOf(env, 'api', 'GET', '/../../internal/session'), 'route_not_found')
  assert.equal(await errorCodeOf(env, 'api', 'GET', '.example.com/'), 'route_not_found')
  assert.equal((await runHostedCli(env, 'api', 'GET')).code, 2)
  assert.equal((await runHostedCli(env, 'api', 'GET', '/me', 'now')).code, 2)

  assert.deepEqual(await runHostedCliJson(env, 'logout'), { url, signed_in: false })
  assert.ok(!existsSync(file))
  assert.equal(await errorCodeOf(env, 'logout'), 'authentication_required')
  const headers = { authorization: `Bearer ${credentials.access_token}` }
  assert.equal((await fetch(`${url}/api/v1/me`, { headers })).status, 401)
})

test('docket api and whoami take an API key and a server from the environment', async () => {
  const { env, file } = newClientMachine(url)
  const key = acme.api_key ?? ''
  const withKey = {
    ...env,
    DOCKET_KEY: key,
    DOCKET_URL: url,
    DOCKET_BASE_URL: 'http://127.0.0.1:1',
  }
  assert.equal((await runHostedCliJson(withKey, 'whoami')).name, 'Ada')
  const projects = await runHostedCli(withKey, 'api', 'GET', '/projects?limit=1')
  assert.equal(JSON.parse(projects.stdout).data.length, 1)
  assert.ok(!existsSync(file))
  const wrong = { ...withKey, DOCKET_KEY: `${key}x` }
  assert.equal(await errorCodeOf(wrong, 'api', 'GET', '/projects'), 'invalid_token')
  const path = { ...withKey, DOCKET_URL: `${url}/api/v1` }
  assert.equal(await errorCodeOf(path, 'api', 'GET', '/projects'), 'validation_failed')
})

test('refreshes tokens before they expire, also in two concurrent commands', async (t) => {
  const { env, file } = newClientMachine(url)
  await login(t, env, '--scopes', 'tasks:read')
  const first = credentialsIn(file)
  writeFileSync(file, JSON.stringify({ ...first, expires_at: new Date().toISOString() }))
  const [one, other] = await Promise.all([
    runHostedCliJson(env, 'whoami'),
    runHostedCliJson(env, 'whoami'),
  ])
  assert.deepEqual([one.scopes, other.scopes], [['tasks:read'], ['tasks:read']])
  const second = credentialsIn(file)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal((await runHostedCliJson(env, 'whoami')).name, 'Ada')

  // An access token that is already invalid, as with a wrong clock, is refreshed too.
  writeFileSync(file, JSON.stringify({ ...second, access_token: first.refresh_token }))
  assert.equal((await runHostedCliJson(env, 'whoami')).name, 'Ada')
  const third = credentialsIn(file)
  assert.notEqual(third.refresh_token, second.refresh_token)

  // A new sign-in revokes the previous tokens; a grant revoked on the web ends here too.
  await login(t, env)
  const headers = { authorization: `Bearer ${third.access_token}` }
  assert.equal((await fetch(`${url}/api/v1/me`, { headers })).status, 401)
  const grants = (await (await ada.send(new URL('/internal/grants', url))).json()) as {
    data: { id: string }[]
  }
  assert.equal(grants.data.length, 1)
  await ada.send(new URL(`/internal/grants/${grants.data[0]?.id}`, url), 'DELETE')
  assert.equal(await errorCodeOf(env, 'whoami'), 'invalid_token')
})

test('login opens the browser and accepts only a callback with the right state and iss', async (t) => {
  const { env, file } = newClientMachine(url)
  const bin = createTempDir()
  for (const name of ['xdg-open', 'open']) {
    // Written and renamed, so that an existing file is complete.
    const script = `printf %s "$1" > '${bin}/draft' && mv '${bin}/draft' '${bin}/opened'`
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const loginProcess = await startLogin(t, { ...env, PATH: `${bin}:${process.env.PATH}` })
  await waitUntil('the browser', () => existsSync(join(bin, 'opened')))
  assert.equal(readFileSync(join(bin, 'opened'), 'utf8'), loginProcess.address)

  for (const query of ['', '?code=1&state=wrong', '?error=access_denied']) {
    assert.equal((await fetch(loginProcess.redirect_uri + query)).status, 404)
  }
  const state = new URL(loginProcess.address).searchParams.get('state') ?? ''
  const mixed = new URLSearchParams({ code: 'x', state, iss: 'https://evil.example' })
  const reply = await fetch(`${loginProcess.redirect_uri}?${mixed}`)
  assert.deepEqual([reply.status, reply.headers.get('cache-control')], [400, 'no-store'])
  const { code, stderr } = await loginProcess.end()
  assert.equal(code, 1)
  assert.match(stderr, /iss/)
  assert.ok(!existsSync(file))

  const denied = await startLogin(t, env, '--no-browser')
  const shown = await ada.open(denied.address, { decision: 'deny' })
  assert.match(shown.text, /Sign-in failed/)
  assert.match((await denied.end()).stderr, /"code":"access_denied"/)
})

test('login reports an unreachable server and a wrong base URL', async () => {
  const { env } = newClientMachine(url)
  const failLogin = async (...words: string[]) => {
    const { code, stderr } = await runHostedCli(env, 'login', '--no-browser', ...words)
    assert.equal(code, 1)
    return JSON.parse(stderr).error
  }
  assert.equal((await failLogin('--url', 'http://127.0.0.1:1')).code, 'unavailable')
  assert.match(
    (await failLogin('--url', url.replace('127.0.0.1', 'localhost'))).message,
    /has another base URL\. Use http/,
  )
  assert.equal((await failLogin('--url', `${url}/docs`)).code, 'validation_failed')
  assert.equal((await failLogin('--scopes', 'tasks:eat')).code, 'validation_failed')
})
