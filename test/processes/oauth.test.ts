import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTH_CACHE_TTL_MS } from '#auth/authenticator.ts'
import { removeGrantById } from '#auth/oauth/grants.ts'
import { ANONYMOUS_ACTOR, type Role } from '#core/actor.ts'
import { SCOPES } from '#wire/scopes.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { atEnd, createMigratedDatabase } from '../support/engines/test-database.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import {
  createServerOAuthClient,
  requestOutcome,
  seedAuthorizedApplication,
  TEST_ISSUER,
} from '../support/oauth/server-oauth-client.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const ME = '/api/v1/me'
const WEBHOOKS = '/api/v1/webhooks'

type RevocationIds = Record<'grant' | 'app' | 'member' | 'admin', string>

/** A request of the web app that ends or reduces the access of an application. */
interface AccessRevocation {
  name: string
  role: Role
  by: Role
  request: (ids: RevocationIds) => [method: string, path: string, body?: object]
  outcome: string
  /** The status of a refresh afterwards. */
  refreshed: number
}

const REVOCATIONS: readonly AccessRevocation[] = [
  {
    name: 'a person ends what was allowed',
    role: 'member',
    by: 'member',
    request: ({ grant }) => ['DELETE', `/internal/grants/${grant}`],
    outcome: '401 invalid_token',
    refreshed: 400,
  },
  {
    name: 'the application is deleted',
    role: 'member',
    by: 'owner',
    request: ({ app }) => ['DELETE', `/internal/apps/${app}`],
    outcome: '401 invalid_token',
    refreshed: 401,
  },
  {
    name: 'the application may do less',
    role: 'admin',
    by: 'owner',
    request: ({ app }) => ['PATCH', `/internal/apps/${app}`, { scopes: ['tasks:read'] }],
    outcome: '403 insufficient_scope',
    refreshed: 200,
  },
  {
    name: 'the person is removed',
    role: 'member',
    by: 'owner',
    request: ({ member }) => ['DELETE', `/internal/members/${member}`],
    outcome: '401 invalid_token',
    refreshed: 400,
  },
  {
    name: 'the person may do less',
    role: 'admin',
    by: 'owner',
    request: ({ admin }) => ['PATCH', `/internal/members/${admin}`, { role: 'member' }],
    outcome: '403 insufficient_role',
    refreshed: 200,
  },
]

test('two servers of one PostgreSQL are one authorization server', async (t) => {
  const { url } = await createMigratedDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_BASE_URL: TEST_ISSUER }
  const docket = await openTestDocket('postgres', env)
  const { storage } = docket
  const servers = await Promise.all([
    startServer(createTempDir(), { env }),
    startServer(createTempDir(), { env }),
  ])
  atEnd(() => Promise.all(servers.map((server) => endServer(server, 'SIGKILL'))))
  const [portA = 0, portB = 0] = servers.map(({ port }) => port)
  /** Alternates between the ports of both servers. */
  const ports = (count: number) =>
    Array.from({ length: count }, (_, at) => (at % 2 ? portB : portA))
  const setUp = async () => {
    const team = await createTestWorkspace(storage)
    const app = await createTestApplication(docket, team)
    const { codeFor, tokensFor } = createOAuthClient(docket, team, app)
    return { team, app, codeFor, tokensFor, ...createServerOAuthClient(app) }
  }
  const scope = SCOPES.join(' ')

  for (const { name, role, by, request, outcome, refreshed } of REVOCATIONS) {
    await t.test(`when ${name}, both servers apply it`, async () => {
      const { team, app, tokensFor, refresh } = await setUp()
      const { access_token, refresh_token } = await tokensFor(role, { scope })
      const path = role === 'admin' ? WEBHOOKS : ME
      for (const port of [portA, portB])
        assert.equal(await requestOutcome(port, access_token, path), '200')
      const grant = await grantOf(portA, (await createTestSession(storage, team, role)).headers)
      const [method, address, body] = request({ ...team.people, grant, app: app.id })
      const { headers } = await createTestSession(storage, team, by)
      const reply = await fetch(`http://127.0.0.1:${portA}${address}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      assert.ok(reply.ok, await reply.text())
      assert.equal(await requestOutcome(portA, access_token, path), outcome)
      await untilEnded(portB, access_token, path, outcome)
      assert.equal((await refresh(portB, refresh_token)).status, refreshed)
    })
  }

  await t.test('a revocation by the application applies to both servers', async () => {
    const { post, tokensFor, refresh } = await setUp()
    const { access_token, refresh_token } = await tokensFor('member')
    for (const port of [portA, portB]) assert.equal(await requestOutcome(port, access_token), '200')
    assert.equal((await post(portA, '/oauth/revoke', { token: refresh_token })).status, 200)
    assert.equal(await requestOutcome(portA, access_token), '401 invalid_token')
    assert.equal((await refresh(portB, refresh_token)).error, 'invalid_grant')
    await untilEnded(portB, access_token)
  })

  await t.test(
    'control: without a new auth version the other server keeps the old access',
    async () => {
      const { team, tokensFor } = await setUp()
      const { access_token } = await tokensFor('member')
      assert.equal(await requestOutcome(portB, access_token), '200')
      const id = await grantOf(portA, (await createTestSession(storage, team, 'member')).headers)
      await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(removeGrantById, { id }))
      // By then the other server has checked the auth version.
      for (const from = performance.now(); performance.now() - from < 2 * AUTH_CACHE_TTL_MS; ) {
        assert.equal(await requestOutcome(portB, access_token), '200')
      }
    },
  )

  await t.test('answers twenty concurrent refreshes with one successor', async () => {
    const { tokensFor, refresh } = await setUp()
    const { refresh_token } = await tokensFor('member')
    const pairs = await Promise.all(ports(20).map((port) => refresh(port, refresh_token)))
    assert.deepEqual(new Set(pairs.map(({ status }) => status)), new Set([200]))
    const [successor, ...others] = new Set(pairs.map((pair) => pair.refresh_token))
    assert.deepEqual(others, [])
    for (const [at, port] of ports(20).entries()) {
      assert.equal(await requestOutcome(port, pairs[at]?.access_token), '200')
    }
    const next = await refresh(portA, successor)
    let newest = next
    for (const port of ports(5)) newest = await refresh(port, newest.refresh_token)
    assert.equal(newest.status, 200)
    for (const port of [portB, portA])
      assert.equal(await requestOutcome(port, newest.access_token), '200')
    // A process that has slept gets what the others got.
    assert.equal((await refresh(portB, successor)).refresh_token, next.refresh_token)
  })

  await t.test(
    'twenty concurrent redemptions of a code give one token pair, which is revoked',
    async () => {
      const { codeFor, exchange, refresh } = await setUp()
      const code = await codeFor('member')
      const all = await Promise.all(ports(20).map((port) => exchange(port, code)))
      const got = all.filter(({ status }) => status === 200)
      assert.equal(got.length, 1)
      for (const { status, error } of all) {
        if (status !== 200) assert.deepEqual([status, error], [400, 'invalid_grant'])
      }
      const [tokens] = got
      assert.equal((await refresh(portA, tokens?.refresh_token)).error, 'invalid_grant')
      for (const port of [portA, portB]) {
        await untilEnded(port, tokens?.access_token)
      }
    },
  )
})

test('access that a command ends is invalid in the server when the command returns', async () => {
  const dataDir = createTempDir()
  const { team, app, tokens } = await seedAuthorizedApplication(dataDir, 1)
  const other = await seedAuthorizedApplication(dataDir, 1)
  const server = await startServer(dataDir, { env: { DOCKET_BASE_URL: TEST_ISSUER } })
  const { port } = server
  const access = [tokens[0]?.access_token, other.tokens[0]?.access_token]
  for (const token of access) assert.equal(await requestOutcome(port, token), '200')
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, DOCKET_DEMO: '0' }
  await runHostedCliJson(env, 'app', 'delete', '--yes', '--app', app.id)
  assert.equal(await requestOutcome(port, access[0]), '401 invalid_token')
  assert.equal(
    (await createServerOAuthClient(app).refresh(port, tokens[0]?.refresh_token)).error,
    'invalid_client',
  )
  assert.equal(await requestOutcome(port, access[1]), '200')
  const { workspace, people } = other.team
  await runHostedCliJson(
    env,
    'member',
    'remove',
    '--yes',
    '--workspace',
    workspace,
    '--user',
    people.member,
  )
  assert.equal(await requestOutcome(port, access[1]), '401 invalid_token')
  const refused = await createServerOAuthClient(other.app).refresh(
    port,
    other.tokens[0]?.refresh_token,
  )
  assert.equal(refused.error, 'invalid_grant')
  assert.equal(await requestOutcome(port, team.keys.member), '200')
  assert.equal(await endServer(server, 'SIGTERM'), 0)
})

/** Returns the only grant of a person. */
async function grantOf(port: number, headers: Record<string, string>): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/internal/grants`, { headers })
  const { data } = (await reply.json()) as { data: { id: string }[] }
  assert.equal(data.length, 1)
  return data[0]?.id ?? ''
}

/** Waits for the outcome, and checks that it stays. */
async function untilEnded(
  port: number,
  token: string | undefined,
  path = ME,
  outcome = '401 invalid_token',
): Promise<void> {
  await waitUntil(
    `${path} is ${outcome}`,
    async () => (await requestOutcome(port, token, path)) === outcome,
  )
  for (let again = 0; again < 20; again += 1) {
    assert.equal(await requestOutcome(port, token, path), outcome)
  }
}
