import assert from 'node:assert/strict'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { Registry } from 'prom-client'
import { openLog } from '#http/log.ts'
import { httpServer } from '#http/server.ts'
import { app, doors, routes } from '../../src/app.ts'
import { answerOf, newPlace, serve } from '../cli/run.ts'
import { docketOn, SECRET, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { openLive } from '../support/live.ts'
import { mailServer } from '../support/mail.ts'
import { type App, newApp } from '../support/oauth.ts'
import { sessionOf } from '../support/session.ts'
import { until } from '../support/until.ts'
import { fetching, filesIn, injecting, remnants, tellPasswords, tellSecrets } from './secrets.ts'
import { tellTokens } from './secrets-oauth.ts'

const OWNER = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']

test('no secret is left in logs, metrics, replies or files of a server, even killed', async (t) => {
  const own = {
    DOCKET_SECRET: 'CANARY-secret-of-the-installation',
    DOCKET_METRICS_TOKEN: 'CANARY-metrics',
  }
  const mail = await mailServer()
  t.after(mail.close)
  const mails = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
  const place = await newPlace({ ...own, ...mails, DOCKET_LOG_LEVEL: 'debug' })
  t.after(place.remove)
  const password = 'CANARY password of Ada'
  const acme = await answerOf(
    place.env,
    ...['workspace', 'create', ...OWNER, '--owner-password', password],
  )
  const { child, ended, stderr: written } = await serve(place.env)
  t.after(() => child.kill('SIGKILL'))
  const chatty = await tellSecrets(fetching(place.url), acme.api_key ?? '', 'sqlite')
  const typed = await tellPasswords(fetching(place.url), place.url, 'ada@example.com', password)
  const { cookie } = typed
  const live = await openLive(Number(place.env.DOCKET_PORT), { cookie })
  const { workspace_id = '' } = acme
  const app = await newAppOf(place.env, workspace_id)
  const asked = { origin: place.url, cookie, workspace_id }
  const granted = await tellTokens(fetching(place.url), app, asked)
  const link = await linkFor(mail, place.url, 'ada@example.com')
  const metrics = await (await fetch(`${place.url}/metrics`)).text()
  // The log is written in its order: so it is whole up to this request when this one is in it.
  const { headers } = await fetch(`${place.url}/api/v1/me`)
  const last = headers.get('x-request-id') ?? assert.fail('The request has no id')
  await until('the log', () => written().includes(last))
  await until('a notice', () => live.heard.length > 0)
  const notices = live.text()
  const alive = filesIn(place.dataDir)
  child.kill('SIGKILL')
  const { stderr } = await ended
  assert.ok(stderr.split('\n').length > 20 && Object.keys(alive).length >= 3)
  const told = [chatty, typed, granted]
  const secrets = [...told.flatMap((one) => one.secrets), ...Object.values(own), link]
  assert.ok(secrets.length > 60)
  const killed = filesIn(place.dataDir)
  assert.deepEqual(remnants({ stderr, metrics, notices, ...alive }, secrets), [])
  for (const { replies } of told) assert.deepEqual(remnants(replies, secrets), [])
  assert.deepEqual(remnants(killed, secrets), [])
})

test('no secret is left in the tables of PostgreSQL', async () => {
  const served = await docketOn('postgres')
  const home = await newHome(served.storage)
  const told = await tellSecrets(injecting(served.server), home.keys.owner, 'postgres')
  const granted = await tellGranted(served, home)
  const secrets = [...told.secrets, ...granted.secrets]
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
  assert.deepEqual(remnants(places, [...secrets, SECRET]), [])
})

test('a fault of ours tells nothing in its reply, and no secret in the log', async (t) => {
  const { log, written } = logged(t)
  const served = await docketOn('sqlite')
  const { house } = await app(served.storage, served.config, SECRET, log)
  const failing = routes.map((route) =>
    route.endpoint.path === '/api/v1/me'
      ? {
          ...route,
          operation: async () => {
            throw new Error('The inside', { cause: new Error('CANARY-inner') })
          },
        }
      : route,
  )
  const { keys } = await newHome(served.storage)
  const server = httpServer({ ...house, registry: new Registry() }, failing)
  const { secrets, replies } = await tellSecrets(injecting(server), keys.owner, 'fault')
  const { text } = await injecting(server)(keys.owner, { method: 'GET', url: '/api/v1/me' })
  assert.match(text, /internal_error/)
  assert.deepEqual(remnants({ text, ...replies }, ['The inside', 'CANARY-inner', '.ts:']), [])
  const told = await written()
  assert.match(told, /The inside/)
  assert.deepEqual(remnants({ log: told }, secrets), [])
})

test('a server that logs the headers of requests is found out', async (t) => {
  const { log, written } = logged(t)
  const served = await docketOn('sqlite')
  const { house } = await app(served.storage, served.config, SECRET, log)
  const server = httpServer({ ...house, registry: new Registry() }, routes, doors)
  server.addHook('onRequest', (request, _reply, done) => {
    log.info({ headers: request.raw.rawHeaders })
    done()
  })
  const home = await newHome(served.storage)
  const { secrets } = await tellSecrets(injecting(server), home.keys.owner, 'logged')
  const granted = await tellGranted(served, home, server)
  const places = { log: await written() }
  for (const one of [secrets, granted.secrets]) assert.ok(remnants(places, one).length > 5)
})

/** A confidential application that an operator registers. */
async function newAppOf(env: Record<string, string>, workspace: string): Promise<App> {
  const redirect_uri = 'https://app.example/cb'
  const { client_id = '', client_secret } = await answerOf(
    env,
    ...['app', 'create', '--workspace', workspace, '--name', 'App', '--type', 'confidential'],
    ...['--redirect-uri', redirect_uri, '--scopes', 'full'],
  )
  return { id: client_id, secret: client_secret, redirect_uri }
}

/** The way of an application of a home to tokens, by a server that is ours. */
async function tellGranted(served: Served, home: Home, server = served.server) {
  const app = await newApp(served, home, { type: 'confidential' })
  const { cookie } = (await sessionOf(served.storage, home, 'owner')).headers
  const asked = { origin: served.config.baseUrl, cookie, workspace_id: home.workspace }
  return tellTokens(injecting(server), app, asked)
}

/** The secret in the link that comes by mail to who has forgotten a password. */
async function linkFor(
  mail: Awaited<ReturnType<typeof mailServer>>,
  origin: string,
  email: string,
) {
  const asking = { method: 'POST', url: '/internal/password-resets', headers: { origin } }
  await fetching(origin)(undefined, { ...asking, body: { email } })
  const { text } = await mail.next()
  return /\/reset\/([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text)
}

/** A log on a file, of everything. */
function logged(t: { after(undo: () => void): void }) {
  const directory = mkdtempSync(join(tmpdir(), 'docket-log-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'log')
  const log = openLog('debug', openSync(path, 'a'))
  // A flush does not wait for what is being written at the moment: so this is told when a last line is there.
  const written = async () => {
    const last = `The last line, ${crypto.randomUUID()}`
    log.info(last)
    const text = () => readFileSync(path, 'utf8')
    await until('the log', () => text().includes(last))
    return text()
  }
  return { log, written }
}
