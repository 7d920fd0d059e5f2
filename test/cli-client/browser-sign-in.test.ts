import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Member } from '../../sdk/src/index.ts'
import { newInstallation, spawnServer } from '../cli/run-cli.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { listenUntilEnd } from '../support/system/listen-until-end.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { signInPerson } from '../support/world/signed-in-person.ts'
import { createClientMachine } from './client-machine.ts'

const installation = await newInstallation({ DOCKET_DRAIN_SECONDS: '0' })
after(installation.remove)
const { url } = installation
const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const create = ['workspace', 'create', '--name', 'Acme', ...owner]
const acme = await runHostedCliJson(installation.env, ...create)
const server = await spawnServer(installation.env)
after(() => server.child.kill('SIGKILL'))
const ada = await signInPerson(url, 'ada@example.com', acme.owner_password ?? '')

/** Starts `docket login` and waits for the address that it prints. */
async function startLogin(machine: ReturnType<typeof createClientMachine>, ...more: string[]) {
  const child = machine.start(['login', '--url', url, '--no-browser', '--json', ...more])
  afterFile(() => child.kill('SIGKILL'))
  const { output, ended } = collectOutput(child)
  await waitUntil('the address', () => /^http.*\n\n$/m.test(output.stderr))
  const address = new URL(/^http\S+$/m.exec(output.stderr)?.[0] ?? '')
  return {
    address: address.href,
    redirectUri: address.searchParams.get('redirect_uri') ?? '',
    end: () => ended,
  }
}

test('login with the browser acts for the person until logout', async () => {
  const machine = createClientMachine()
  const login = await startLogin(machine)
  assert.equal((await fetch(`${login.redirectUri}?code=stolen&state=guessed`)).status, 404)
  assert.equal((await fetch(`${new URL(login.redirectUri).origin}//`)).status, 404)
  assert.match((await ada.open(login.address)).text, /You are signed in/)
  const { code, stdout, stderr } = await login.end()
  assert.equal(code, 0, stderr)
  const { data } = JSON.parse(stdout)
  assert.deepEqual([data.user.name, data.workspace.name, data.scopes.length], ['Ada', 'Acme', 21])

  const grantFile = join(machine.configFile, '../grant-default.json')
  assert.equal(statSync(grantFile).mode & 0o777, 0o600)
  const grant = JSON.parse(readFileSync(grantFile, 'utf8'))
  assert.ok(!(stdout + stderr).includes(grant.access_token))
  assert.ok(!readFileSync(machine.configFile, 'utf8').includes(grant.refresh_token))
  const me = await machine.json<{ user: Member }>('whoami')
  assert.equal(me.user.id, acme.user_id)

  assert.match(await machine.text('logout'), /^Signed out of http/)
  assert.equal(existsSync(grantFile), false)
  assert.equal((await machine.run(['whoami'])).code, 3)
  const headers = { authorization: `Bearer ${grant.access_token}` }
  assert.equal((await fetch(`${url}/api/v1/me`, { headers })).status, 401)
})

test('the tokens of one server are never sent to another', async (t) => {
  const machine = createClientMachine()
  const login = await startLogin(machine)
  await ada.open(login.address)
  assert.equal((await login.end()).code, 0)
  let requests = 0
  const other = createServer((_request, response) => {
    requests += 1
    response.end()
  })
  const port = await listenUntilEnd(t, other)
  // The grant is written before the address, so an interruption leaves them apart.
  const config = readFileSync(machine.configFile, 'utf8')
  writeFileSync(machine.configFile, config.replace(url, `http://127.0.0.1:${port}`))
  assert.equal((await machine.run(['whoami'])).code, 3)
  assert.equal((await machine.run(['logout'])).code, 0)
  assert.equal(requests, 0)
})

test('--read-only asks for reading alone, and an authorization that is withdrawn is exit code 3', async () => {
  const machine = createClientMachine()
  const login = await startLogin(machine, '--read-only')
  await ada.open(login.address)
  const { code, stdout } = await login.end()
  assert.equal(code, 0)
  const scopes: string[] = JSON.parse(stdout).data.scopes
  assert.ok(scopes.length > 5 && scopes.every((scope) => scope.endsWith(':read')), scopes.join())

  const grantFile = join(machine.configFile, '../grant-default.json')
  const { refresh_token } = JSON.parse(readFileSync(grantFile, 'utf8'))
  const form = { token: refresh_token, client_id: 'app_00000000000000000000000001' }
  const revoked = await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  assert.equal(revoked.status, 200)
  const { code: after, stderr } = await machine.run(['whoami'])
  assert.equal(after, 3)
  assert.match(stderr, /Run docket login/)
})

test('a sign-in that the person denies stores nothing', async () => {
  const machine = createClientMachine()
  const login = await startLogin(machine)
  const { searchParams } = new URL(login.address)
  const denied = { error: 'access_denied', state: searchParams.get('state') ?? '', iss: url }
  const page = await fetch(`${login.redirectUri}?${new URLSearchParams(denied)}`)
  assert.equal(page.status, 400)
  const { code, stderr } = await login.end()
  assert.equal(code, 1)
  assert.match(stderr, /"code":"access_denied"/)
  assert.equal(existsSync(machine.configFile), false)
})
