import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { COMMAND_LINE_APPLICATION_ID } from '#db/access/oauth-grants.ts'
import { createMembership } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  ORIGIN_HEADERS,
  setTestPassword,
  setTestPasswords,
  TEST_PASSWORD,
} from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const prepare = setTestPasswords
const change = { send: 'PATCH /internal/account', as: 'member session' } as const
const errorDetails = (...faults: [string, string][]) => ({
  error: { details: faults.map(([field, code]) => ({ field, code })) },
})
const OTHER = 'plum cake at night'

scenario('users change their profile', [
  {
    ...change,
    prepare,
    body: {
      name: ' Zoë Quick ',
      avatar_url: 'https://example.com/z.png',
      timezone: 'Asia/Tokyo',
      locale: 'DE-ch',
    },
    status: 200,
    reply: {
      id: '{member}',
      name: 'Zoë Quick',
      avatar_url: 'https://example.com/z.png',
      timezone: 'Asia/Tokyo',
      locale: 'de-CH',
      role: 'member',
    },
    events: ['member.updated'],
    replyHeaders: { 'set-cookie': null, 'x-operation-id': /^opr_/ },
  },
  {
    ...change,
    body: { name: 'Zoë Quick' },
    status: 200,
    reply: { name: 'Zoë Quick' },
    replyHeaders: { 'x-operation-id': null },
  },
  {
    ...change,
    body: { avatar_url: null },
    status: 200,
    reply: { avatar_url: null, locale: 'de-CH' },
    events: ['member.updated'],
  },
  { send: 'GET /internal/session', as: 'member session', status: 200, reply: { hours_per_day: 6 } },
  { ...change, body: { hours_per_day: 4 }, status: 200, reply: { id: '{member}' } },
  { send: 'GET /internal/session', as: 'member session', status: 200, reply: { hours_per_day: 4 } },
  {
    ...change,
    body: { hours_per_day: 25 },
    status: 422,
    reply: errorDetails(['hours_per_day', 'too_large']),
  },
  {
    send: 'GET /api/v1/workspace/members?q=quick',
    status: 200,
    reply: { data: [{ id: '{member}' }] },
  },
  {
    send: 'GET /api/v1/workspace/members?sort=-name&limit=1',
    status: 200,
    reply: { data: [{ id: '{member}', name: 'Zoë Quick' }] },
  },
  {
    ...change,
    body: {
      email: 'new@example.com',
      password: 'short',
      name: null,
      locale: 'no_tag',
      role: 'owner',
      id: 1,
      x: 1,
    },
    status: 422,
    reply: errorDetails(
      ['name', 'not_nullable'],
      ['locale', 'invalid_format'],
      ['role', 'read_only_field'],
      ['id', 'read_only_field'],
      ['x', 'unknown_field'],
      ['password', 'too_short'],
      ['current_password', 'required'],
    ),
    check: ({ body }) => assert.match(JSON.stringify(body), /read_only/),
  },
  { ...change, as: 'nobody', headers: ORIGIN_HEADERS, body: {}, status: 401 },
  {
    ...change,
    as: 'member',
    body: {},
    status: 403,
    reply: { error: { code: 'session_required' } },
  },
  { ...change, headers: { 'sec-fetch-site': 'cross-site' }, body: {}, status: 403 },
])

scenario('changes of email or password require the present password', [
  {
    ...change,
    prepare,
    body: { email: 'x@example.com', current_password: 'not the present one' },
    status: 422,
    reply: errorDetails(['current_password', 'invalid_value']),
  },
  {
    ...change,
    body: { email: '{owner_email}', current_password: TEST_PASSWORD, name: 'Not this' },
    status: 409,
    reply: { error: { code: 'email_taken' } },
  },
  { ...change, body: {}, status: 200, reply: { name: 'The member', email: '{member_email}' } },
  {
    ...change,
    body: { email: ' NEW.{member_email} ', current_password: TEST_PASSWORD },
    status: 200,
    reply: { email: 'new.{member_email}' },
    events: ['member.updated'],
    replyHeaders: { 'set-cookie': null },
  },
  // The same address in another case is not a change.
  {
    ...change,
    body: { email: 'new.{member_email}', current_password: TEST_PASSWORD },
    status: 200,
  },
  {
    ...change,
    body: { password: OTHER, current_password: TEST_PASSWORD },
    status: 200,
    replyHeaders: { 'set-cookie': /^docket_session=[\w-]{43};/ },
  },
  { ...change, body: {}, status: 401 },
])

const prepareAccess: NonNullable<ScenarioStep['prepare']> = async (tx, known) => {
  await setTestPasswords(tx, known)
  await insertTestGrant(tx, {
    in_workspace: known.workspace ?? '',
    user_id: known.member ?? '',
    application_id: COMMAND_LINE_APPLICATION_ID,
  })
}
const keepCookie: NonNullable<ScenarioStep['check']> = ({ headers }, known) => {
  known.cookie = (headers['set-cookie'] ?? '').split(';')[0] ?? ''
}
const renewed = { as: 'nobody', headers: { ...ORIGIN_HEADERS, cookie: '{cookie}' } } as const

scenario('a new password ends API keys and authorizations if the user says so', [
  {
    ...change,
    prepare: prepareAccess,
    body: { revoke_access: true, name: 'Not this' },
    status: 422,
    reply: errorDetails(['password', 'required']),
  },
  {
    ...change,
    body: { password: OTHER, current_password: TEST_PASSWORD },
    status: 200,
    check: keepCookie,
  },
  { send: 'GET /api/v1/me', as: 'member', status: 200 },
  { send: 'GET /internal/grants', ...renewed, status: 200, reply: { data: [{}] } },
  {
    send: change.send,
    ...renewed,
    body: { password: TEST_PASSWORD, current_password: OTHER, revoke_access: true },
    status: 200,
    check: keepCookie,
  },
  { send: 'GET /api/v1/me', as: 'member', status: 401 },
  { send: 'GET /internal/grants', ...renewed, status: 200, reply: { data: [] } },
  // The keys of others stay.
  { send: 'GET /api/v1/me', as: 'admin', status: 200 },
])

for (const engine of ENGINES) {
  test(`a new password ends all other sessions and renews the present session's cookie (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const [team, elsewhere] = [
      await createTestWorkspace(storage),
      await createTestWorkspace(storage),
    ]
    const email = await setTestPassword(storage, team, 'admin')
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: elsewhere.workspace }, (tx) =>
      createMembership(tx, { user_id: team.people.admin, name: 'The admin', role: 'guest' }),
    )
    const [one, other] = [createCookieClient(server), createCookieClient(server)]
    for (const client of [one, other])
      await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const target = { workspace_id: elsewhere.workspace }
    await one.send('PATCH /internal/session', target)
    const before = one.jar.get('docket_session') ?? ''
    const changed = await one.send('PATCH /internal/account', {
      password: OTHER,
      current_password: TEST_PASSWORD,
      name: 'Ann Elsewhere',
    })
    assert.equal(changed.status, 200)
    assert.notEqual(one.jar.get('docket_session'), before)
    const session = await one.send('GET /internal/session')
    assert.equal((session.body.workspace as { id: string }).id, elsewhere.workspace)
    assert.equal(
      describeReply(await other.send('GET /internal/session')),
      '401 authentication_required',
    )
    const stale = { headers: { cookie: `docket_session=${before}` } }
    assert.equal(
      describeReply(
        await createCookieClient(server).send('GET /internal/session', undefined, stale),
      ),
      '401 authentication_required',
    )
    const enter = (password: string) =>
      createCookieClient(server).send('POST /internal/session', { email, password })
    assert.equal(describeReply(await enter(TEST_PASSWORD)), '401 invalid_credentials')
    assert.equal(describeReply(await enter(OTHER)), '201')
    // The name has changed in all workspaces, including the columns for search.
    for (const key of [team.keys.owner, elsewhere.keys.owner]) {
      const found = await server.inject({
        url: '/api/v1/workspace/members?q=elsewhere',
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(found.json().data.length, 1)
    }
  })

  test(`limits how often a user can ask whether an address has an account (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const taken = await setTestPassword(storage, team, 'owner')
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const ask = async (wanted: string) => {
      const body = { email: wanted, current_password: TEST_PASSWORD }
      return describeReply(await client.send('PATCH /internal/account', body))
    }
    for (let time = 0; time < 10; time += 1) assert.equal(await ask(taken), '409 email_taken')
    assert.equal(await ask(taken), '429 too_many_attempts')
    assert.equal(await ask(`free.${email}`), '429 too_many_attempts')
    assert.equal(await ask(email), '200')
  })
}
