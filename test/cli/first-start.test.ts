import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { waitUntil } from '../support/system/wait-until.ts'
import { launchServer, newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const DEMO = { DOCKET_DEMO: '1' }

/** Starts a server, inspects what it prints, and stops it. */
async function startAndStop(
  env: Record<string, string>,
  inspect?: (text: string) => Promise<void>,
) {
  const { child, ended, stdout } = await spawnServer(env)
  if (inspect) {
    await waitUntil('the welcome', () => /curl|Setup token/.test(stdout()))
    await inspect(stdout())
  }
  // The server ends only after the end of its start, so by then it has printed everything.
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.equal(code, 0)
  return { stdout: stdout(), stderr }
}

test('the first start that succeeds prints the workspace id and credentials once, with a working curl command', async (t) => {
  const { env, url, dataDir, remove } = await newInstallation(DEMO)
  t.after(remove)
  // No start gets as far as the credentials while another program has the port.
  const taken = createServer().listen(Number(new URL(url).port), '127.0.0.1')
  await once(taken, 'listening')
  const first = launchServer(env)
  await waitUntil('the people of the demo', () => countUsers(dataDir) > 0)
  first.child.kill('SIGKILL')
  await first.ended
  assert.doesNotMatch(first.stdout(), /Password/)
  const second = await spawnServer(env)
  assert.equal(second.serves, false)
  assert.match((await second.ended).stderr, /already in use/)
  taken.close()
  await startAndStop(env, async (text) => {
    const [, email] = /Email +(\S+)/.exec(text) ?? assert.fail(text)
    const [, password] = /Password +(\w{20})/.exec(text) ?? []
    const session = await fetch(`${url}/internal/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    assert.equal(session.status, 201)
    assert.match(text, new RegExp(`Address +${url}`))
    const [, workspace] = /Workspace +(wsp_\w{26})\n/.exec(text) ?? []
    const [, header = '', target = ''] = /curl -H '(.+?)' '(.+?)'/.exec(text) ?? []
    const [name = '', value = ''] = header.split(': ')
    const headers = { [name]: value }
    const me = await fetch(`${url}/api/v1/me`, { headers })
    assert.equal(((await me.json()) as { workspace: { id: string } }).workspace.id, workspace)
    assert.equal((await fetch(target, { headers })).status, 200)
  })
  assert.doesNotMatch((await startAndStop(env)).stdout, /Welcome/)
})

/** How many accounts the database has; none while it has no tables. */
function countUsers(dataDir: string): number {
  try {
    const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true })
    try {
      return Number(db.prepare('select count(*) as n from users').get()?.n)
    } finally {
      db.close()
    }
  } catch {
    return 0
  }
}

test('without a demo, the first start prints the setup token once and never logs it', async (t) => {
  const origin = 'https://docket.example.com'
  const { env, url, remove } = await newInstallation({
    DOCKET_BASE_URL: origin,
    DOCKET_LOG_LEVEL: 'debug',
  })
  t.after(remove)
  let setup_token = ''
  const first = await startAndStop(env, async (text) => {
    setup_token = /Setup token: (\S{24})\n/.exec(text)?.[1] ?? assert.fail(text)
    assert.deepEqual(await runHostedCliJson<object>(env, 'setup-token'), {
      setup_token,
      required: true,
      sign_up_url: `${origin}/sign-up`,
    })
    const signUp = (token: string) =>
      fetch(`${url}/internal/signup`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({
          email: 'ada@example.com',
          password: 'correct horse battery',
          name: 'Ada',
          workspace_name: 'Acme',
          setup_token: token,
        }),
      })
    assert.equal((await signUp(setup_token.slice(1))).status, 422)
    assert.equal((await signUp(setup_token)).status, 201)
    const { code, stdout, stderr } = await runHostedCli(env, 'setup-token', '--json')
    assert.deepEqual([code, stdout, JSON.parse(stderr).error.code], [1, '', 'signup_disabled'])
  })
  assert.match(first.stderr, /internal\/signup/)
  assert.ok(!first.stderr.includes(setup_token))
  const later = await startAndStop({ ...env, ...DEMO })
  assert.doesNotMatch(later.stdout, /Welcome|token/)
})
