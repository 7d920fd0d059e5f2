import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { answerOf, newPlace, serve } from '#test/cli/run.ts'
import { until } from '#test/support/delivering.ts'
import { emptyDir } from '#test/support/dir.ts'
import { personAt } from '#test/support/person.ts'
import { freePort } from '../support/port.ts'

const place = await newPlace({ DOCKET_DRAIN_SECONDS: '0' })
after(place.remove)
const { env, url, dataDir } = place
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const inAcme = ['--workspace', acme.workspace_id ?? '']
const { id: project_id } = await answerOf(
  env,
  ...['project', 'create', ...inAcme, '--name', 'Engineering', '--prefix', 'ENG'],
)
const server = await serve(env)
after(() => server.child.kill('SIGKILL'))
const ada = await personAt(url, 'ada@example.com', acme.owner_password ?? '')

const registered = (type: string, redirect_uri: string) =>
  answerOf(
    env,
    ...['app', 'create', ...inAcme, '--name', 'Tasks', '--type', type],
    ...['--redirect-uri', redirect_uri, '--scopes', 'tasks:read'],
  )

/** Makes a task that Ada has to do. */
async function task(title: string): Promise<void> {
  const reply = await fetch(`${url}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id, title, assignee_ids: [acme.user_id] }),
  })
  assert.equal(reply.status, 201, await reply.text())
}

/** Ends the access tokens before their time; what the command line changes makes the server look. */
async function endAccess(): Promise<void> {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  db.exec("PRAGMA busy_timeout = 5000; DELETE FROM oauth_records WHERE kind = 'AccessToken'")
  db.close()
  await answerOf(env, 'workspace', 'set-plan', ...inAcme, '--plan', 'paid')
}

function started(script: string, env: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [`examples/oauth-client/${script}`, ...words], {
    // No PATH: it finds no browser to open.
    env: { DOCKET_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  const [stdout, stderr] = [gathered(child.stdout), gathered(child.stderr)]
  return { child, stdout, stderr, closed: once(child, 'close') }
}

function gathered(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

const isOver = ({ exitCode }: ChildProcess) => exitCode !== null

await task('Ship <the> importer')

test('a web application shows the tasks of who signs in, until that is taken back', async () => {
  const site = `http://127.0.0.1:${await freePort()}`
  const app = await registered('confidential', `${site}/callback`)
  const web = started('web.ts', {
    PORT: new URL(site).port,
    DOCKET_CLIENT_ID: app.id ?? '',
    DOCKET_CLIENT_SECRET: app.client_secret ?? '',
  })
  await until('that it serves', () => web.stdout().includes('Open ') || isOver(web.child))
  const home = async () => (await ada.open(`${site}/`)).text
  assert.match(await home(), /Sign in with Docket/)
  assert.equal((await ada.open(`${site}/callback?code=x&state=y`)).status, 400)

  const denied = await ada.open(`${site}/sign-in`, { decision: 'deny' })
  assert.deepEqual([denied.status, denied.address.pathname], [403, '/callback'])
  const stranger = ada.cookies.get('tasks_visitor')
  const shown = await ada.open(`${site}/sign-in`)
  assert.deepEqual([shown.status, shown.address.href], [200, `${site}/`])
  assert.match(shown.text, /ENG-1<\/b> Ship &#60;the&#62; importer/)
  assert.notEqual(ada.cookies.get('tasks_visitor'), stranger)

  await endAccess()
  for (const text of await Promise.all([home(), home(), home()])) assert.match(text, /ENG-1/)
  const out = await ada.send(new URL('/sign-out', site), 'POST')
  assert.equal(out.status, 303)
  assert.match(await home(), /Sign in with Docket/)

  await ada.open(`${site}/sign-in`)
  const grants = new URL('/internal/grants', url)
  const { data } = (await (await ada.send(grants)).json()) as { data: { id: string }[] }
  assert.equal(data.length, 1, 'the one of before has ended by signing out')
  await ada.send(new URL(`/internal/grants/${data[0]?.id}`, url), 'DELETE')
  assert.match(await home(), /Sign in with Docket/)
  assert.equal(web.stderr(), '')
})

test('a native application signs in on any port, and goes on without the browser', async () => {
  const app = await registered('public', 'http://127.0.0.1/callback')
  const file = join(emptyDir(), 'kept.json')
  const run = (...words: string[]) =>
    started('native.ts', { TASKS_FILE: file, DOCKET_CLIENT_ID: app.id ?? '' }, ...words)

  const first = run()
  await until('the address', () => first.stderr().includes('state=') || isOver(first.child))
  const address = /^http\S+$/m.exec(first.stderr())?.[0] ?? ''
  const redirect_uri = new URL(address).searchParams.get('redirect_uri') ?? ''
  assert.equal((await fetch(`${redirect_uri}?code=x&state=y`)).status, 404)
  assert.match((await ada.open(address)).text, /close this window/)
  assert.deepEqual([(await first.closed)[0], first.stdout()], [0, 'ENG-1  Ship <the> importer\n'])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const kept = readFileSync(file, 'utf8')

  const second = run()
  assert.deepEqual([(await second.closed)[0], second.stdout()], [0, first.stdout()])
  assert.equal(second.stderr(), '')
  assert.notEqual(readFileSync(file, 'utf8'), kept)

  const end = run('--sign-out')
  assert.equal((await end.closed)[0], 0)
  assert.ok(!existsSync(file))
  const grants = await (await ada.send(new URL('/internal/grants', url))).json()
  assert.deepEqual((grants as { data: object[] }).data, [])
})
