import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createMembership, removeMember } from '#resources/members/membership.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  ORIGIN_HEADERS,
  setTestPassword,
  setTestPasswords,
  TEST_PASSWORD,
} from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const prepare = setTestPasswords
const right = { email: '{member_email}', password: TEST_PASSWORD }
const signIn = { send: 'POST /internal/session', as: 'nobody', headers: ORIGIN_HEADERS } as const
const WRONG = { error: { code: 'invalid_credentials', type: 'unauthenticated' } }

/** The cookies of a response, as a browser sends them back. */
function cookiesIn(headers: Record<string, string>): string {
  const all = headers['set-cookie'] ?? ''
  return [...all.matchAll(/(docket_\w+)=([^;,]*)/g)].map(([one]) => one).join('; ')
}

scenario('sign-in creates a session with a new cookie each time', [
  {
    ...signIn,
    prepare,
    body: { ...right, email: '  {member_email} ' },
    status: 201,
    reply: {
      user: { id: '{member}', name: 'The member' },
      workspace: { id: '{workspace}', name: 'Test' },
      workspaces: [{ id: '{workspace}', name: 'Test', role: 'member' }],
    },
    replyHeaders: {
      'cache-control': 'no-store',
      'access-control-allow-origin': null,
      'x-ratelimit-limit': null,
      'set-cookie':
        /^docket_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000,docket_device=usr_\w+\.[\w-]{22}\.\d{13}\.[\w-]{43}; Path=\/internal; HttpOnly; SameSite=Lax; Max-Age=31536000$/,
      'x-operation-id': /^opr_/,
    },
    check: ({ headers }, known) => {
      known.first = cookiesIn(headers)
    },
  },
  {
    send: 'GET /internal/session',
    as: 'nobody',
    headers: { cookie: '{first}' },
    status: 200,
    reply: { user: { id: '{member}' } },
    keep: { id: 'id' },
  },
  {
    send: 'PATCH /internal/session',
    as: 'nobody',
    headers: { ...ORIGIN_HEADERS, cookie: '{first}' },
    body: { user: { id: '{owner}' }, place: '{workspace}' },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'user', code: 'read_only_field' },
          { field: 'place', code: 'unknown_field' },
        ],
      },
    },
  },
  {
    ...signIn,
    headers: { ...ORIGIN_HEADERS, cookie: '{first}' },
    body: right,
    status: 201,
    check: ({ headers }, known) => {
      known.second = cookiesIn(headers)
      const [[session, device] = [], [other, same] = []] = [known.first, known.second].map((one) =>
        one?.split('; '),
      )
      assert.notEqual(session, other)
      assert.equal(device, same)
    },
  },
  // The previous session of the browser has ended.
  { send: 'GET /internal/session', as: 'nobody', headers: { cookie: '{first}' }, status: 401 },
  {
    send: 'DELETE /internal/session',
    as: 'nobody',
    headers: { ...ORIGIN_HEADERS, cookie: '{second}' },
    status: 204,
    replyHeaders: {
      'set-cookie': 'docket_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
      'x-operation-id': /^opr_/,
    },
  },
  rejectedStep('GET /api/v1/me', 401, 'authentication_required', {
    as: 'nobody',
    headers: { cookie: '{second}' },
  }),
])

scenario('failed sign-ins do not reveal whether the account exists', [
  {
    ...signIn,
    prepare,
    body: { ...right, password: 'plum tart at nine' },
    status: 401,
    reply: WRONG,
  },
  {
    ...signIn,
    body: { ...right, email: 'nobody.at.all@example.com' },
    status: 401,
    reply: WRONG,
    replyHeaders: {
      'set-cookie': null,
      'www-authenticate': /^Bearer realm="docket"[^=]+="[^"]+"$/,
    },
  },
  { ...signIn, headers: {}, body: right, status: 403, reply: { error: { code: 'csrf_rejected' } } },
  {
    ...signIn,
    headers: { ...ORIGIN_HEADERS, 'sec-fetch-site': 'same-site' },
    body: right,
    status: 403,
    reply: { error: { code: 'csrf_rejected' } },
  },
  {
    ...signIn,
    as: 'owner',
    body: right,
    status: 403,
    reply: { error: { code: 'session_required' } },
  },
  {
    ...signIn,
    headers: { ...ORIGIN_HEADERS, 'content-type': 'text/plain' },
    body: right,
    status: 415,
  },
  { ...signIn, body: 'not json', status: 400, reply: { error: { code: 'invalid_json' } } },
  {
    ...signIn,
    body: { email: ['{member_email}'], remember: true },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'password', code: 'required' },
          { field: 'email', code: 'invalid_type' },
          { field: 'remember', code: 'unknown_field' },
        ],
      },
    },
  },
  { ...signIn, send: 'POST /internal/session?x=1', body: right, status: 400 },
  {
    send: 'PUT /internal/session',
    as: 'nobody',
    status: 405,
    replyHeaders: { allow: 'GET, HEAD, POST, PATCH, DELETE' },
  },
  {
    send: 'OPTIONS /internal/session',
    as: 'nobody',
    status: 204,
    replyHeaders: { 'access-control-allow-origin': null, 'access-control-allow-methods': null },
  },
  { ...signIn, body: { ...right, workspace_id: 'wsp_01k2m3n4p5q6r7s8t9v0w1x2y3' }, status: 404 },
])

for (const engine of ENGINES) {
  test(`switching the workspace is remembered for the next sign-in (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const [here, there] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const email = await setTestPassword(storage, here, 'member')
    const user_id = here.people.member
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: there.workspace }
    await storage.write(actor, (tx) =>
      createMembership(tx, { user_id, name: 'The member', role: 'guest' }),
    )
    const one = createCookieClient(server)
    const placed = (body: object) => {
      const { workspace, workspaces, user } = body as Session
      return [workspace.id, user.role, new Set(workspaces.map(({ role }) => role)).size]
    }
    await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const go = (workspace_id?: string) => one.send('PATCH /internal/session', { workspace_id })
    assert.deepEqual(placed((await go(here.workspace)).body), [here.workspace, 'member', 2])
    assert.deepEqual(placed((await go(there.workspace)).body), [there.workspace, 'guest', 2])
    assert.deepEqual(placed((await go()).body), [there.workspace, 'guest', 2])
    assert.deepEqual(describeReply(await go('wsp_01k2m3n4p5q6r7s8t9v0w1x2y3')), '404 not_found')
    const me = await one.send('GET /api/v1/me')
    assert.equal((me.body.workspace as { id: string }).id, there.workspace)
    const other = createCookieClient(server)
    const again = await other.send('POST /internal/session', { email, password: TEST_PASSWORD })
    assert.deepEqual(placed(again.body), [there.workspace, 'guest', 2])
    const asked = { email, password: TEST_PASSWORD, workspace_id: here.workspace }
    assert.deepEqual(placed((await other.send('POST /internal/session', asked)).body), [
      here.workspace,
      'member',
      2,
    ])
    // A removed member is signed out of that workspace, but sessions in other workspaces continue.
    await storage.write(actor, async (tx) => {
      await removeMember(tx, user_id)
      await bumpAuthVersion(tx)
    })
    const ended = async () => describeReply(await one.send('GET /internal/session'))
    await waitUntil('the end of it', async () => (await ended()) === '401 authentication_required')
    assert.deepEqual(placed((await other.send('GET /internal/session')).body), [
      here.workspace,
      'member',
      1,
    ])
    await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
    assert.equal(describeReply(await one.send('GET /internal/session')), '200')
  })
}

test('over https cookies are Secure and have the __Host- prefix', async () => {
  const origin = 'https://docket.example.com'
  const { storage, server } = await openTestDocket('sqlite', { DOCKET_BASE_URL: origin })
  const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
  const one = createCookieClient(server, origin)
  const { headers } = await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
  assert.match(
    headers['set-cookie'] ?? '',
    /^__Host-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000,docket_device=[\w.-]+; Path=\/internal; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000$/,
  )
  assert.equal(describeReply(await one.send('GET /internal/session')), '200')
  const out = await one.send('DELETE /internal/session')
  assert.match(out.headers['set-cookie'] ?? '', /^__Host-session=; Path=\/; Secure; .*; Max-Age=0$/)
})

test('ends the least recently used sessions above the maximum', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const team = await createTestWorkspace(storage)
  const email = await setTestPassword(storage, team, 'member')
  const oldest = await createTestSession(storage, team, 'member')
  for (let more = 0; more < 49; more += 1) await createTestSession(storage, team, 'member')
  const get = { url: '/internal/session', headers: oldest.headers }
  assert.equal((await server.inject(get)).statusCode, 200)
  const one = createCookieClient(server)
  await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
  const listed = await one.send('GET /internal/sessions?limit=200')
  assert.equal((listed.body.data as unknown[]).length, 50)
  assert.equal((await server.inject(get)).statusCode, 401)
})
