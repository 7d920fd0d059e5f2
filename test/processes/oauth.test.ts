import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY, type Role } from '#core/actor.ts'
import { BELIEVED_MS } from '#identity/authenticate.ts'
import { endGrant } from '#identity/oauth/grants.ts'
import { SCOPES } from '#wire/scopes.ts'
import { answerOf } from '../cli/run.ts'
import { emptyDir } from '../support/dir.ts'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { clientAt, endAt, ISSUER, settleAllowed } from '../support/oauth-at.ts'
import { end, SECRET, start } from '../support/process.ts'
import { sessionOf } from '../support/session.ts'
import { atEnd, migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const ME = '/api/v1/me'
const WEBHOOKS = '/api/v1/webhooks'

type Ids = Record<'grant' | 'app' | 'member' | 'admin', string>

/** How access ends in the web app: whose, by whom, by which request, and what is answered from then on. */
interface Ending {
  name: string
  role: Role
  by: Role
  asked: (ids: Ids) => [method: string, path: string, body?: object]
  outcome: string
  /** How a refresh ends. */
  refreshed: number
}

const ENDINGS: readonly Ending[] = [
  {
    ...{ name: 'a person ends what was allowed', role: 'member', by: 'member' },
    asked: ({ grant }) => ['DELETE', `/internal/grants/${grant}`],
    ...{ outcome: '401 invalid_token', refreshed: 400 },
  },
  {
    ...{ name: 'the application is deleted', role: 'member', by: 'owner' },
    asked: ({ app }) => ['DELETE', `/internal/apps/${app}`],
    ...{ outcome: '401 invalid_token', refreshed: 401 },
  },
  {
    ...{ name: 'the application may do less', role: 'admin', by: 'owner' },
    asked: ({ app }) => ['PATCH', `/internal/apps/${app}`, { scopes: ['tasks:read'] }],
    ...{ outcome: '403 insufficient_scope', refreshed: 200 },
  },
  {
    ...{ name: 'the person is removed', role: 'member', by: 'owner' },
    asked: ({ member }) => ['DELETE', `/internal/members/${member}`],
    ...{ outcome: '401 invalid_token', refreshed: 400 },
  },
  {
    ...{ name: 'the person may do less', role: 'admin', by: 'owner' },
    asked: ({ admin }) => ['PATCH', `/internal/members/${admin}`, { role: 'member' }],
    ...{ outcome: '403 insufficient_role', refreshed: 200 },
  },
]

test('two servers of one PostgreSQL are one authorization server', async (t) => {
  const { url } = await migratedDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_BASE_URL: ISSUER }
  const docket = await docketOn('postgres', env)
  const { storage } = docket
  const servers = await Promise.all([start(emptyDir(), { env }), start(emptyDir(), { env })])
  atEnd(() => Promise.all(servers.map((server) => end(server, 'SIGKILL'))))
  const [here = 0, there = 0] = servers.map(({ port }) => port)
  /** One and the other by turns. */
  const ports = (count: number) => Array.from({ length: count }, (_, at) => (at % 2 ? there : here))
  const setUp = async () => {
    const home = await newHome(storage)
    const app = await newApp(docket, home)
    const { codeFor, tokensFor } = client(docket, home, app)
    return { home, app, codeFor, tokensFor, ...clientAt(app) }
  }
  const scope = SCOPES.join(' ')

  for (const { name, role, by, asked, outcome, refreshed } of ENDINGS) {
    await t.test(`when ${name}, that binds in both`, async () => {
      const { home, app, tokensFor, refresh } = await setUp()
      const { access_token, refresh_token } = await tokensFor(role, { scope })
      const path = role === 'admin' ? WEBHOOKS : ME
      for (const port of [here, there]) assert.equal(await endAt(port, access_token, path), '200')
      const grant = await grantOf(here, (await sessionOf(storage, home, role)).headers)
      const [method, address, body] = asked({ ...home.people, grant, app: app.id })
      const { headers } = await sessionOf(storage, home, by)
      const reply = await fetch(`http://127.0.0.1:${here}${address}`, {
        ...{ method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } },
        ...(body && { body: JSON.stringify(body) }),
      })
      assert.ok(reply.ok, await reply.text())
      assert.equal(await endAt(here, access_token, path), outcome)
      await untilEnded(there, access_token, path, outcome)
      assert.equal((await refresh(there, refresh_token)).status, refreshed)
    })
  }

  await t.test('what an application revokes is over in both', async () => {
    const { post, tokensFor, refresh } = await setUp()
    const { access_token, refresh_token } = await tokensFor('member')
    for (const port of [here, there]) assert.equal(await endAt(port, access_token), '200')
    assert.equal((await post(here, '/oauth/revoke', { token: refresh_token })).status, 200)
    assert.equal(await endAt(here, access_token), '401 invalid_token')
    assert.equal((await refresh(there, refresh_token)).error, 'invalid_grant')
    await untilEnded(there, access_token)
  })

  await t.test('an end of which nobody is told is found out', async () => {
    const { home, tokensFor } = await setUp()
    const { access_token } = await tokensFor('member')
    assert.equal(await endAt(there, access_token), '200')
    const id = await grantOf(here, (await sessionOf(storage, home, 'member')).headers)
    await storage.write(NOBODY, (tx) => tx.run(endGrant, { id }))
    // By then it has looked whether anything has changed.
    for (const from = performance.now(); performance.now() - from < 2 * BELIEVED_MS; ) {
      assert.equal(await endAt(there, access_token), '200')
    }
  })

  await t.test('of twenty refreshes at once all are answered, and one chain goes on', async () => {
    const { tokensFor, refresh } = await setUp()
    const { refresh_token } = await tokensFor('member')
    const pairs = await Promise.all(ports(20).map((port) => refresh(port, refresh_token)))
    assert.deepEqual(new Set(pairs.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 20)
    for (const [at, port] of ports(20).entries()) {
      assert.equal(await endAt(port, pairs[at]?.access_token), '200')
    }
    let newest = pairs[4]
    for (const port of ports(5)) newest = await refresh(port, newest?.refresh_token)
    assert.equal(newest?.status, 200)
    for (const port of [there, here]) assert.equal(await endAt(port, newest.access_token), '200')
    assert.equal((await refresh(there, pairs[5]?.refresh_token)).error, 'invalid_grant')
    assert.equal((await refresh(here, newest.refresh_token)).error, 'invalid_grant')
    await untilEnded(here, newest.access_token)
  })

  await t.test('of twenty who redeem a code at once one gets tokens, and loses them', async () => {
    const { codeFor, exchange, refresh } = await setUp()
    const code = await codeFor('member')
    const all = await Promise.all(ports(20).map((port) => exchange(port, code)))
    const got = all.filter(({ status }) => status === 200)
    assert.equal(got.length, 1)
    for (const { status, error } of all) {
      if (status !== 200) assert.deepEqual([status, error], [400, 'invalid_grant'])
    }
    const [tokens] = got
    assert.equal((await refresh(here, tokens?.refresh_token)).error, 'invalid_grant')
    for (const port of [here, there]) {
      await untilEnded(port, tokens?.access_token)
    }
  })
})

test('what an operator ends beside a server is over when the command returns', async () => {
  const dataDir = emptyDir()
  const { home, app, tokens } = await settleAllowed(dataDir, 1)
  const other = await settleAllowed(dataDir, 1)
  const server = await start(dataDir, { env: { DOCKET_BASE_URL: ISSUER } })
  const { port } = server
  const access = [tokens[0]?.access_token, other.tokens[0]?.access_token]
  for (const token of access) assert.equal(await endAt(port, token), '200')
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_DEMO: '0' }
  await answerOf(env, 'app', 'delete', '--app', app.id)
  assert.equal(await endAt(port, access[0]), '401 invalid_token')
  assert.equal(
    (await clientAt(app).refresh(port, tokens[0]?.refresh_token)).error,
    'invalid_client',
  )
  assert.equal(await endAt(port, access[1]), '200')
  const { workspace, people } = other.home
  await answerOf(env, 'member', 'remove', '--workspace', workspace, '--user', people.member)
  assert.equal(await endAt(port, access[1]), '401 invalid_token')
  const late = await clientAt(other.app).refresh(port, other.tokens[0]?.refresh_token)
  assert.equal(late.error, 'invalid_grant')
  assert.equal(await endAt(port, home.keys.member), '200')
  assert.equal(await end(server, 'SIGTERM'), 0)
})

/** The one thing that a person allows. */
async function grantOf(port: number, headers: Record<string, string>): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/internal/grants`, { headers })
  const { data } = (await reply.json()) as { data: { id: string }[] }
  assert.equal(data.length, 1)
  return data[0]?.id ?? ''
}

/** Waits until a server answers so, which it then does for good. */
async function untilEnded(
  port: number,
  token: string | undefined,
  path = ME,
  outcome = '401 invalid_token',
): Promise<void> {
  await until(`${path} is ${outcome}`, async () => (await endAt(port, token, path)) === outcome)
  for (let again = 0; again < 20; again += 1) {
    assert.equal(await endAt(port, token, path), outcome)
  }
}
