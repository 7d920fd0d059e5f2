import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { BASE_ENV, newInstallation, spawnServer } from '#test/cli/run-cli.ts'
import { runHostedCliJson } from '#test/cli/run-hosted-cli.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { collectOutput } from '#test/support/system/child-processes.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { signInPerson } from '#test/support/world/signed-in-person.ts'

const installation = await newInstallation({ DOCKET_DRAIN_SECONDS: '0' })
after(installation.remove)
const { env, url, dataDir } = installation
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const inAcme = ['--workspace', acme.workspace_id ?? '']
const { id: project_id } = await runHostedCliJson(
  env,
  'project',
  'create',
  ...inAcme,
  '--name',
  'Engineering',
  '--prefix',
  'ENG',
)
const server = await spawnServer(env)
after(() => server.child.kill('SIGKILL'))
const ada = await signInPerson(url, 'ada@example.com', acme.owner_password ?? '')

const registerApp = (type: string, redirect_uri: string) =>
  runHostedCliJson(
    env,
    'app',
    'create',
    ...inAcme,
    '--name',
    'Tasks',
    '--type',
    type,
    '--redirect-uri',
    redirect_uri,
    '--scopes',
    'tasks:read',
  )

/** Creates a task that is assigned to Ada. */
async function createTask(title: string): Promise<void> {
  const reply = await fetch(`${url}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id, title, assignee_ids: [acme.user_id] }),
  })
  assert.equal(reply.status, 201, await reply.text())
}

/** Revokes the access tokens. The command afterwards makes the server drop its cache. */
async function revokeAccessTokens(): Promise<void> {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  db.exec("PRAGMA busy_timeout = 5000; DELETE FROM oauth_records WHERE kind = 'AccessToken'")
  db.close()
  await runHostedCliJson(env, 'workspace', 'set-plan', ...inAcme, '--plan', 'paid')
}

function startExample(script: string, env: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [`examples/oauth-client/${script}`, ...words], {
    // Without PATH it finds no browser to open.
    env: { ...BASE_ENV, PATH: '', DOCKET_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  afterFile(() => child.kill('SIGKILL'))
  const { output, ended } = collectOutput(child)
  return { child, stdout: () => output.stdout, stderr: () => output.stderr, ended }
}

const hasExited = ({ exitCode }: ChildProcess) => exitCode !== null

await createTask('Ship <the> importer')

test('the web example shows the tasks of a person until the grant is revoked', async () => {
  const site = `http://127.0.0.1:${await findFreePort()}`
  const app = await registerApp('confidential', `${site}/callback`)
  const web = startExample('web.ts', {
    PORT: new URL(site).port,
    DOCKET_CLIENT_ID: app.id ?? '',
    DOCKET_CLIENT_SECRET: app.client_secret ?? '',
  })
  await waitUntil('that it serves', () => web.stdout().includes('Open ') || hasExited(web.child))
  const team = async () => (await ada.open(`${site}/`)).text
  assert.match(await team(), /Sign in with Docket/)
  assert.equal((await ada.open(`${site}/callback?code=x&state=y`)).status, 400)

  const denied = await ada.open(`${site}/sign-in`, { decision: 'deny' })
  assert.deepEqual([denied.status, denied.address.pathname], [403, '/callback'])
  const cookieBefore = ada.cookies.get('tasks_visitor')
  const shown = await ada.open(`${site}/sign-in`)
  assert.deepEqual([shown.status, shown.address.href], [200, `${site}/`])
  assert.match(shown.text, /ENG-1<\/b> Ship &#60;the&#62; importer/)
  assert.notEqual(ada.cookies.get('tasks_visitor'), cookieBefore)

  await revokeAccessTokens()
  for (const text of await Promise.all([team(), team(), team()])) assert.match(text, /ENG-1/)
  const out = await ada.send(new URL('/sign-out', site), 'POST')
  assert.equal(out.status, 303)
  assert.match(await team(), /Sign in with Docket/)

  await ada.open(`${site}/sign-in`)
  const grants = new URL('/internal/grants', url)
  const { data } = (await (await ada.send(grants)).json()) as { data: { id: string }[] }
  assert.equal(data.length, 1, 'the one of before has ended by signing out')
  await ada.send(new URL(`/internal/grants/${data[0]?.id}`, url), 'DELETE')
  // Some arrive while another one renews the tokens.
  for (const text of await Promise.all(Array.from({ length: 40 }, team))) {
    assert.match(text, /Sign in with Docket/)
  }
  assert.equal(web.stderr(), '')
})

test('the native example signs in on any port and later works without a browser', async () => {
  const app = await registerApp('public', 'http://127.0.0.1/callback')
  const file = join(createTempDir(), 'kept.json')
  const run = (...words: string[]) =>
    startExample('native.ts', { TASKS_FILE: file, DOCKET_CLIENT_ID: app.id ?? '' }, ...words)

  const first = run()
  await waitUntil('the address', () => first.stderr().includes('state=') || hasExited(first.child))
  const address = /^http\S+$/m.exec(first.stderr())?.[0] ?? ''
  const redirect_uri = new URL(address).searchParams.get('redirect_uri') ?? ''
  assert.equal((await fetch(`${redirect_uri}?code=x&state=y`)).status, 404)
  assert.match((await ada.open(address)).text, /close this window/)
  assert.deepEqual([(await first.ended).code, first.stdout()], [0, 'ENG-1  Ship <the> importer\n'])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const savedTokens = readFileSync(file, 'utf8')

  const second = run()
  assert.deepEqual([(await second.ended).code, second.stdout()], [0, first.stdout()])
  assert.equal(second.stderr(), '')
  assert.notEqual(readFileSync(file, 'utf8'), savedTokens)

  const end = run('--sign-out')
  assert.equal((await end.ended).code, 0)
  assert.ok(!existsSync(file))
  const grants = await (await ada.send(new URL('/internal/grants', url))).json()
  assert.deepEqual((grants as { data: object[] }).data, [])
})
