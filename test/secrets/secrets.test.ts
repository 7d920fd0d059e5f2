import assert from 'node:assert/strict'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { Registry } from 'prom-client'
import { openLog } from '#http/server/log.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp } from '#server/app.ts'
import { routes } from '#server/routes.ts'
import { newInstallation, runCliJson, spawnServer } from '../cli/run-cli.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createTestApplication, type TestApplication } from '../support/oauth/oauth-client.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { startSmtpServer } from '../support/services/smtp-server.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { sendOAuthSecrets } from './oauth-secrets.ts'
import {
  fetchCalls,
  findSecrets,
  injectCalls,
  readFilesBelow,
  sendPasswords,
  sendSecrets,
} from './secrets.ts'

const OWNER = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']

test('no secret is in logs, metrics, replies or files of a server, even after a kill', async (t) => {
  const secretSettings = {
    DOCKET_SECRET: 'CANARY-secret-of-the-installation',
    DOCKET_METRICS_TOKEN: 'CANARY-metrics',
  }
  const mail = await startSmtpServer()
  t.after(mail.close)
  const mails = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
  const place = await newInstallation({ ...secretSettings, ...mails, DOCKET_LOG_LEVEL: 'debug' })
  t.after(place.remove)
  const password = 'CANARY password of Ada'
  const acme = await runCliJson(
    place.env,
    'workspace',
    'create',
    ...OWNER,
    '--owner-password',
    password,
  )
  const { child, ended, stderr: written } = await spawnServer(place.env)
  t.after(() => child.kill('SIGKILL'))
  const apiSecrets = await sendSecrets(fetchCalls(place.url), acme.api_key ?? '', 'sqlite')
  const passwordSecrets = await sendPasswords(
    fetchCalls(place.url),
    place.url,
    'ada@example.com',
    password,
  )
  const { cookie } = passwordSecrets
  const live = await openLiveStream(Number(place.env.DOCKET_PORT), { cookie })
  const { workspace_id = '' } = acme
  const app = await registerApplication(place.env, workspace_id)
  const consent = { origin: place.url, cookie, workspace_id }
  const oauthSecrets = await sendOAuthSecrets(fetchCalls(place.url), app, consent)
  const link = await requestResetLink(mail, place.url, 'ada@example.com')
  const metrics = await (await fetch(`${place.url}/metrics`)).text()
  // The log keeps its order, so it is complete up to this request once it contains this one.
  const { headers } = await fetch(`${place.url}/api/v1/me`)
  const last = headers.get('x-request-id') ?? assert.fail('The request has no id')
  await waitUntil('the log', () => written().includes(last))
  await waitUntil('a hint', () => live.news().length > 0)
  const notices = live.text()
  const filesWhileRunning = readFilesBelow(place.dataDir)
  child.kill('SIGKILL')
  const { stderr } = await ended
  assert.ok(stderr.split('\n').length > 20 && Object.keys(filesWhileRunning).length >= 3)
  const allSecrets = [apiSecrets, passwordSecrets, oauthSecrets]
  const secrets = [
    ...allSecrets.flatMap((one) => one.secrets),
    ...Object.values(secretSettings),
    link,
  ]
  assert.ok(secrets.length > 60)
  const filesAfterKill = readFilesBelow(place.dataDir)
  assert.deepEqual(findSecrets({ stderr, metrics, notices, ...filesWhileRunning }, secrets), [])
  for (const { replies } of allSecrets) assert.deepEqual(findSecrets(replies, secrets), [])
  assert.deepEqual(findSecrets(filesAfterKill, secrets), [])
})

test('no secret is in the tables of PostgreSQL in plain text', async () => {
  const served = await openTestDocket('postgres')
  const team = await createTestWorkspace(served.storage)
  const apiSecrets = await sendSecrets(injectCalls(served.server), team.keys.owner, 'postgres')
  const oauthSecrets = await sendInjectedOAuthSecrets(served, team)
  const secrets = [...apiSecrets.secrets, ...oauthSecrets.secrets]
  const client = new pg.Client(process.env.TEST_POSTGRES)
  await client.connect()
  const tables = await client.query("select tablename from pg_tables where schemaname = 'public'")
  const places: Record<string, string> = {}
  for (const { tablename } of tables.rows) {
    const { rows } = await client.query(`select t::text as row from "${tablename}" as t`)
    places[tablename] = rows.map(({ row }) => row).join('\n')
  }
  await client.end()
  assert.match(places.webhooks ?? '', /example\.com\/hook/)
  assert.match(places.oauth_records ?? '', /RefreshToken/)
  assert.deepEqual(findSecrets(places, [...secrets, TEST_SECRET]), [])
})

test('an internal error reveals nothing in its reply, and no secret in the log', async (t) => {
  const { log, written } = openLogFile(t)
  const served = await openTestDocket('sqlite')
  const { appContext } = await createApp(served.storage, served.config, TEST_SECRET, log)
  const failing = routes.map((route) =>
    route.kind === 'read' && route.endpoint.path === '/api/v1/me'
      ? {
          ...route,
          run: async () => {
            throw new Error('The inside', { cause: new Error('CANARY-inner') })
          },
        }
      : route,
  )
  const { keys } = await createTestWorkspace(served.storage)
  const server = createHttpServer(
    { ...appContext, metrics: { ...appContext.metrics, registry: new Registry() } },
    failing,
  )
  const { secrets, replies } = await sendSecrets(injectCalls(server), keys.owner, 'fault')
  const { text } = await injectCalls(server)(keys.owner, { method: 'GET', url: '/api/v1/me' })
  assert.match(text, /internal_error/)
  assert.deepEqual(findSecrets({ text, ...replies }, ['The inside', 'CANARY-inner', '.ts:']), [])
  const logText = await written()
  assert.match(logText, /The inside/)
  assert.deepEqual(findSecrets({ log: logText }, secrets), [])
})

/** Registers a confidential application with the command line. */
async function registerApplication(
  env: Record<string, string>,
  workspace: string,
): Promise<TestApplication> {
  const redirect_uri = 'https://app.example/cb'
  const { client_id = '', client_secret } = await runCliJson(
    env,
    'app',
    'create',
    '--workspace',
    workspace,
    '--name',
    'App',
    '--type',
    'confidential',
    '--redirect-uri',
    redirect_uri,
    '--scopes',
    'full',
  )
  return { id: client_id, secret: client_secret, redirect_uri }
}

/** Takes an application through the OAuth flow on an injected server, and returns its secrets. */
async function sendInjectedOAuthSecrets(
  served: TestDocket,
  team: TestWorkspace,
  server = served.server,
) {
  const app = await createTestApplication(served, team, { type: 'confidential' })
  const { cookie } = (await createTestSession(served.storage, team, 'owner')).headers
  const consent = { origin: served.config.baseUrl, cookie, workspace_id: team.workspace }
  return sendOAuthSecrets(injectCalls(server), app, consent)
}

/** Requests a password reset and returns the secret of the link in the mail. */
async function requestResetLink(
  mail: Awaited<ReturnType<typeof startSmtpServer>>,
  origin: string,
  email: string,
) {
  const asking = { method: 'POST', url: '/internal/password-resets', headers: { origin } }
  await fetchCalls(origin)(undefined, { ...asking, body: { email } })
  const { text } = await mail.next()
  return /\/reset\/([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text)
}

/** Opens a debug log in a file. */
function openLogFile(t: { after(undo: () => void): void }) {
  const directory = mkdtempSync(join(tmpdir(), 'docket-log-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'log')
  const log = openLog('debug', openSync(path, 'a'))
  // A flush does not wait for a write that is under way, so this waits for a last line of its own.
  const written = async () => {
    const last = `The last line, ${crypto.randomUUID()}`
    log.info(last)
    const text = () => readFileSync(path, 'utf8')
    await waitUntil('the log', () => text().includes(last))
    return text()
  }
  return { log, written }
}
