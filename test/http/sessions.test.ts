import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { createSession } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { scenario, valueAt } from '../support/scenario/scenario.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

scenario('a session cookie gives access to the public API with the role of the person', [
  {
    send: 'GET /api/v1/me',
    as: 'admin session',
    status: 200,
    reply: {
      user: { id: '{admin}', role: 'admin' },
      workspace: { id: '{workspace}' },
      credential: { type: 'session', name: null },
    },
    replyHeaders: { 'x-ratelimit-limit': '1000000', 'access-control-allow-credentials': null },
    check: ({ body }) => {
      assert.match(valueAt(body, 'credential.id'), /^ses_/)
      assert.match(valueAt(body, 'credential.expires_at'), /Z$/)
    },
  },
  {
    send: 'POST /api/v1/tasks',
    as: 'member session',
    body: { project_id: '{project}', title: 'From the browser' },
    status: 201,
    events: [
      { type: 'task.created', actor: { type: 'user', user_id: '{member}', credential_id: null } },
    ],
    keep: { task: 'id' },
  },
  {
    send: 'POST /api/v1/tasks/{task}/comments',
    as: 'session',
    body: { body: 'Seen' },
    status: 201,
    reply: { source: 'web' },
    events: ['comment.created'],
  },
  { send: 'GET /api/v1/webhooks', as: 'guest session', status: 403 },
  {
    send: 'GET /api/v1/me',
    as: 'nobody',
    headers: { cookie: `docket_session=${'x'.repeat(43)}` },
    status: 401,
    reply: { error: { code: 'authentication_required' } },
  },
])

const OF_ANOTHER_PAGE = {
  status: 409,
  reply: { error: { code: 'session_changed' } },
  replyHeaders: { 'x-ratelimit-limit': null },
} as const

scenario("a page's request is refused in the session of another person or workspace", [
  {
    send: 'GET /api/v1/me',
    as: 'member session',
    headers: { 'x-page-session': '{member}/{workspace}' },
    status: 200,
  },
  {
    send: 'POST /api/v1/tasks',
    as: 'member session',
    headers: { 'x-page-session': '{owner}/{workspace}' },
    body: { project_id: '{project}', title: 'For another person' },
    ...OF_ANOTHER_PAGE,
  },
  {
    send: 'GET /api/v1/tasks',
    as: 'member session',
    headers: { 'x-page-session': `{member}/wsp_${'0'.repeat(26)}` },
    ...OF_ANOTHER_PAGE,
  },
  {
    send: 'GET /internal/notifications',
    as: 'member session',
    headers: { 'x-page-session': '' },
    ...OF_ANOTHER_PAGE,
  },
  {
    send: 'GET /api/v1/me',
    as: 'member',
    headers: { 'x-page-session': 'of no meaning' },
    status: 200,
  },
])

const changeSession = unscopedCommand((db, $: { id: string; used: string; expires: string }) =>
  db
    .updateTable('sessions')
    .set({ last_used_at: $.used, expires_at: $.expires })
    .where('id', '=', $.id),
)

for (const engine of ENGINES) {
  test(`writes by cookie need a same-origin request (CSRF), reads do not (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const { cookie, origin } = (await createTestSession(storage, team, 'owner')).headers
    const write = async (headers: Record<string, string>) => {
      const task = { project_id: team.project, title: 'Forged' }
      const sent = { 'content-type': 'application/json', cookie, ...headers }
      const reply = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks?dry_run=true',
        headers: sent,
        payload: JSON.stringify(task),
      })
      assert.equal('x-ratelimit-limit' in reply.headers, reply.statusCode === 201)
      return [reply.statusCode, reply.json().error?.code]
    }
    const accepted = [201, undefined]
    const rejected = [403, 'csrf_rejected']
    for (const [headers, outcome] of [
      [{ origin }, accepted],
      [{ 'sec-fetch-site': 'same-origin' }, accepted],
      [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4000' }, accepted],
      [{}, rejected],
      [{ origin: 'null' }, rejected],
      [{ origin: `${origin}.evil.example` }, rejected],
      [{ origin: 'http://127.0.0.1:4001' }, rejected],
      [{ 'sec-fetch-site': 'same-site', origin }, rejected],
      [{ 'sec-fetch-site': 'cross-site', origin }, rejected],
      [{ 'sec-fetch-site': 'none', origin }, rejected],
      [{ 'sec-fetch-site': '', origin }, rejected],
    ] as const) {
      assert.deepEqual(await write(headers), outcome, JSON.stringify(headers))
    }
    assert.deepEqual(await write({ authorization: `Bearer ${team.keys.owner}` }), accepted)
    const url = '/api/v1/me'
    const read = await server.inject({ url, headers: { cookie, 'sec-fetch-site': 'cross-site' } })
    assert.equal(read.statusCode, 200)
    const both = { cookie, authorization: 'Bearer dkt_wrong' }
    assert.equal((await server.inject({ url, headers: both })).json().error.code, 'invalid_token')
    const emptyAuthorization = { cookie, authorization: '' }
    assert.equal((await server.inject({ url, headers: emptyAuthorization })).statusCode, 401)
    const duplicateCookie = { cookie: `docket_session=${'x'.repeat(43)}; ${cookie}` }
    assert.equal((await server.inject({ url, headers: duplicateCookie })).statusCode, 401)
  })

  test(`a session expires after a week unused, and at its expiry (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const hours = (many: number) => new Date(Date.now() + many * 3_600_000).toISOString()
    const status = async (used: string, expires: string) => {
      // A new session each time, because sessions are cached for a moment.
      const { id, headers } = await createTestSession(storage, team, 'member')
      await storage.write(ANONYMOUS_ACTOR, async (tx) => {
        await tx.run(changeSession, { id, used, expires })
        await bumpAuthVersion(tx)
      })
      return (await server.inject({ url: '/api/v1/me', headers })).statusCode
    }
    assert.equal(await status(hours(-7 * 24 + 1), hours(1)), 200)
    assert.equal(await status(hours(-7 * 24 - 1), hours(1)), 401)
    assert.equal(await status(hours(-1), hours(-1)), 401)
  })

  test(`an Idempotency-Key holds across the sessions of a person (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const post = async () => {
      const { headers } = await createTestSession(storage, team, 'owner')
      const reply = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'once' },
        payload: JSON.stringify({ project_id: team.project, title: 'Once' }),
      })
      return [reply.statusCode, reply.headers['idempotency-replayed'], reply.json().id]
    }
    const [status, replayed, id] = await post()
    assert.deepEqual([status, replayed], [201, undefined])
    assert.deepEqual(await post(), [201, 'true', id])
  })
}

test('over https the session cookie must have the __Host- prefix', async () => {
  const { storage, server } = await openTestDocket('sqlite', {
    DOCKET_BASE_URL: 'https://docket.example.com',
  })
  const { people, workspace } = await createTestWorkspace(storage)
  const sessionOptions = { user_id: people.owner, workspace_id: workspace, user_agent: '' }
  const { value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, sessionOptions))
  const status = async (cookie: string) =>
    (await server.inject({ url: '/api/v1/me', headers: { cookie } })).statusCode
  assert.equal(await status(`__Host-session=${value}`), 200)
  assert.equal(await status(`docket_session=${value}`), 401)
})
