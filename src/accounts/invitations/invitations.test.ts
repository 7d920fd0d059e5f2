import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WriteTx } from '#core/transaction.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  ORIGIN_HEADERS,
  setTestPassword,
  setTestPasswords,
  TEST_PASSWORD,
} from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const prepare = setTestPasswords
const INVITATIONS = '/internal/invitations'
const POST = `POST ${INVITATIONS}`
const role = { error: { code: 'insufficient_role' } }
const missing = { error: { code: 'not_found' } }
const faults = (...details: object[]) => ({ error: { code: 'validation_failed', details } })
const lookup = { send: `${POST}/lookup`, as: 'nobody' } as const
const accept = { send: `${POST}/accept`, as: 'nobody', headers: ORIGIN_HEADERS } as const
const unknown = 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'

/** Stores the token of the link under a name. */
const tokenAs = (name: string) => ({
  check: ({ body }: { body: unknown }, known: Record<string, string>) => {
    const { accept_url } = body as { accept_url: string }
    assert.match(accept_url, /^http:\/\/127\.0\.0\.1:4000\/invite\/[\w-]{43}$/)
    known[name] = accept_url.split('/').at(-1) ?? ''
  },
})

const invited = (email: string, name: string, more: object = {}): ScenarioStep => ({
  send: POST,
  as: 'session',
  body: { email, role: 'member', ...more },
  status: 201,
  ...tokenAs(name),
})

scenario('owners and admins invite, only owners invite owners, and the link is returned once', [
  {
    prepare,
    send: POST,
    as: 'admin session',
    body: {
      email: ' New.{workspace}@Example.COM ',
      role: 'guest',
      project_ids: ['{hidden}', '{project}'],
    },
    status: 201,
    reply: { role: 'guest', invited_by_id: '{admin}' },
    replyHeaders: { location: null, etag: null, 'cache-control': 'no-store' },
    keep: { invitation: 'id', email: 'email', url: 'accept_url' },
    check: ({ body }, { project, hidden, workspace }) => {
      const { email, expires_at, created_at, project_ids } = body as Record<string, string>
      assert.equal(email, `new.${workspace}@example.com`)
      assert.deepEqual(project_ids, [project, hidden].toSorted())
      assert.equal(Date.parse(expires_at ?? '') - Date.parse(created_at ?? ''), 604_800_000)
    },
  },
  {
    send: `GET ${INVITATIONS}`,
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{invitation}', email: '{email}' }], has_more: false },
    check: ({ body }, { url }) => {
      assert.ok(!JSON.stringify(body).includes(String(url).slice(-43)))
      assert.ok(!JSON.stringify(body).includes('accept_url'))
    },
  },
  ...(['member', 'guest'] as const).flatMap((who): ScenarioStep[] => [
    { send: `GET ${INVITATIONS}`, as: `${who} session`, status: 403, reply: role },
    { send: POST, as: `${who} session`, body: {}, status: 403, reply: role },
    { send: `DELETE ${INVITATIONS}/{invitation}`, as: `${who} session`, status: 403, reply: role },
  ]),
  rejectedStep(POST, 403, 'insufficient_role', {
    as: 'admin session',
    body: { email: 'no address', role: 'owner' },
  }),
  { send: POST, as: 'session', body: { email: 'o@example.com', role: 'owner' }, status: 201 },
  {
    send: POST,
    as: 'session',
    body: { email: ['a@example.com', 'b@example.com'], role: 'boss', id: 'x', accept_url: 'y' },
    status: 422,
    reply: faults(
      { field: 'email', code: 'invalid_type' },
      { field: 'role', code: 'invalid_value' },
      { field: 'id', code: 'read_only_field' },
      { field: 'accept_url', code: 'read_only_field' },
    ),
  },
  {
    send: POST,
    as: 'session',
    body: { email: 'a b@example.com', role: 'member', project_ids: ['{project}'] },
    status: 422,
    reply: faults(
      { field: 'email', code: 'invalid_format' },
      { field: 'project_ids', code: 'conflicting_fields' },
    ),
  },
  {
    send: POST,
    as: 'session',
    body: { email: '{member_email}', role: 'guest', project_ids: ['{project}', unknown] },
    status: 422,
    reply: faults({ field: 'project_ids[1]', code: 'invalid_reference' }),
  },
  rejectedStep(POST, 409, 'already_member', {
    as: 'session',
    body: { email: '{member_email}', role: 'guest' },
  }),
  { send: `DELETE ${INVITATIONS}/{invitation}`, as: 'admin session', status: 204 },
  { send: `DELETE ${INVITATIONS}/{invitation}`, as: 'admin session', status: 404, reply: missing },
  { send: `DELETE ${INVITATIONS}/${unknown}`, as: 'session', status: 404, reply: missing },
])

const expire = command((db, $: Scoped<{ at: string }>) =>
  db.updateTable('invitations').set({ expires_at: $.at }),
)

scenario('an invitation link is invalid after replacement, revocation, expiry or use', [
  { ...lookup, body: { token: 'x' }, status: 404, reply: missing },
  invited('{workspace}@example.com', 'first'),
  {
    ...lookup,
    headers: { origin: 'https://elsewhere.example' },
    body: { token: '{first}' },
    status: 200,
    reply: {
      email: '{workspace}@example.com',
      role: 'member',
      workspace_name: 'Test',
      invited_by_name: 'The owner',
    },
  },
  {
    ...invited('{WORKSPACE}@Example.com', 'second', { email: ' {workspace}@EXAMPLE.com' }),
    keep: { second_id: 'id' },
  },
  { ...lookup, body: { token: '{first}' }, status: 404 },
  { ...accept, body: { token: '{first}', name: 'N', password: TEST_PASSWORD }, status: 404 },
  { ...lookup, body: { token: '{second}' }, status: 200 },
  { send: `DELETE ${INVITATIONS}/{second_id}`, as: 'session', status: 204 },
  { ...lookup, body: { token: '{second}' }, status: 404 },
  { ...accept, body: { token: '{second}', name: 'N', password: TEST_PASSWORD }, status: 404 },
  invited('{workspace}@example.com', 'third'),
  {
    ...lookup,
    prepare: (tx: WriteTx) => tx.run(expire, { at: tx.now }),
    body: { token: '{third}' },
    status: 404,
  },
  { ...accept, body: { token: '{third}', name: 'N', password: TEST_PASSWORD }, status: 404 },
  {
    send: `GET ${INVITATIONS}`,
    as: 'session',
    status: 200,
    reply: { data: [{ email: '{workspace}@example.com' }] },
  },
  invited('{workspace}@example.com', 'fourth'),
  {
    ...accept,
    body: { token: '{fourth}', name: 'N', password: TEST_PASSWORD },
    status: 201,
    events: ['member.added'],
  },
  { ...accept, body: { token: '{fourth}', password: TEST_PASSWORD }, status: 404, reply: missing },
  { ...lookup, body: { token: '{fourth}' }, status: 404 },
  { send: `GET ${INVITATIONS}`, as: 'session', status: 200, reply: { data: [] } },
])

scenario('accepting an invitation without an account creates one and signs in', [
  invited('{workspace}@example.com', 'token', { role: 'guest', project_ids: ['{hidden}'] }),
  {
    ...accept,
    body: { token: '{token}' },
    status: 422,
    reply: faults({ field: 'name', code: 'required' }, { field: 'password', code: 'required' }),
  },
  {
    ...accept,
    body: { token: '{token}', name: ' ', password: 'password12' },
    status: 422,
    reply: faults({ field: 'name', code: 'too_short' }),
  },
  {
    ...accept,
    body: { token: '{token}', name: 'Grace', password: 'password12' },
    status: 422,
    reply: faults({ field: 'password', code: 'invalid_value' }),
  },
  {
    ...accept,
    headers: {},
    body: { token: '{token}', name: 'Grace', password: TEST_PASSWORD },
    status: 403,
    reply: { error: { code: 'csrf_rejected' } },
  },
  {
    ...accept,
    body: { token: '{token}', name: ' Grace ', password: TEST_PASSWORD },
    status: 201,
    reply: {
      user: { name: 'Grace', email: '{workspace}@example.com', role: 'guest' },
      workspace: { id: '{workspace}' },
      workspaces: [{ id: '{workspace}', role: 'guest' }],
    },
    replyHeaders: { 'set-cookie': /^docket_session=[\w-]{43}; .*docket_device=/ },
    keep: { grace: 'user.id' },
    events: [{ type: 'member.added', data: { name: 'Grace', status: 'active', role: 'guest' } }],
    check: ({ headers }, known) => {
      known.cookie = (headers['set-cookie'] ?? '').split(';')[0] ?? ''
    },
  },
  {
    send: 'GET /api/v1/projects',
    as: 'nobody',
    headers: { cookie: '{cookie}' },
    status: 200,
    reply: { data: [{ id: '{hidden}' }], has_more: false },
  },
  {
    send: 'POST /internal/session',
    as: 'nobody',
    headers: ORIGIN_HEADERS,
    body: { email: '{workspace}@example.com', password: TEST_PASSWORD },
    status: 201,
    reply: { user: { id: '{grace}' } },
  },
])

test('sends the invitation link by email if mail is configured', async () => {
  const mail = await startSmtpServer()
  const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'Docket <docket@example.com>' }
  const { storage, server } = await openFreshDocket('sqlite', env)
  const team = await createTestWorkspace(storage)
  const email = await setTestPassword(storage, team, 'owner')
  const owner = createCookieClient(server)
  await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
  const body = { email: 'ada@example.com', role: 'member' }
  const { body: made } = await owner.send(POST, body)
  const { to, text } = await mail.next()
  assert.deepEqual(to, ['ada@example.com'])
  // Nobody has confirmed the address, so it gets no name that somebody has chosen.
  assert.match(text, /^Subject: You are invited to a workspace on Docket$/m)
  assert.doesNotMatch(text, /The owner|Test/)
  const link =
    new RegExp(`^${made.accept_url}\\.[\\w-]{43}$`, 'm').exec(text)?.[0] ?? assert.fail(text)
  // Only the link of the email shows that somebody has read the mailbox.
  const ada = createCookieClient(server)
  const joining = { name: 'Ada', password: TEST_PASSWORD, token: link.split('/').at(-1) }
  assert.equal(describeReply(await ada.send(`${POST}/accept`, joining)), '201')
  const methods = await ada.send('GET /internal/account/sign-in')
  assert.deepEqual({ ...Object(methods.body.email) }, { confirmed: true, sent_to: null })
  const { body: second } = await owner.send(POST, { ...body, email: 'bob@example.com' })
  await mail.next()
  const bob = createCookieClient(server)
  const forged = `${second.accept_url}.${'x'.repeat(43)}`.split('/').at(-1)
  const joined = await bob.send(`${POST}/accept`, { ...joining, token: forged })
  assert.equal(describeReply(joined), '201')
  assert.match((await mail.next()).text, /\/confirm-email\//)
  const bobsMethods = await bob.send('GET /internal/account/sign-in')
  assert.equal(Object(bobsMethods.body.email).confirmed, false)
  const other = await createTestWorkspace(storage)
  const boss = createCookieClient(server)
  const bossEmail = await setTestPassword(storage, other, 'owner')
  await boss.send('POST /internal/session', { email: bossEmail, password: TEST_PASSWORD })
  await boss.send(POST, body)
  assert.match((await mail.next()).text, /^Subject: The owner invited you to Test on Docket$/m)
  // Rejected invitations send no email.
  assert.equal(describeReply(await owner.send(POST, { ...body, email })), '409 already_member')
  await mail.close()
  assert.equal(mail.count(), 0)
})

for (const engine of ENGINES) {
  test(`limits the invitations of a workspace within 24 hours, exactly (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server } = await openFreshDocket(engine, {}, { clock })
    const team = await createTestWorkspace(storage, 'free')
    const email = await setTestPassword(storage, team, 'owner')
    const owner = createCookieClient(server)
    await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const inviteMany = async (count: number) => {
      const replies = Array.from({ length: count }, (_, at) =>
        owner.send(POST, { email: `invited.${at}@example.com`, role: 'member' }),
      )
      return (await Promise.all(replies)).map(describeReply)
    }
    await inviteMany(40)
    clock.advance(60_000)
    const outcomes = await inviteMany(70)
    assert.equal(outcomes.filter((one) => one === '201').length, 60)
    assert.equal(outcomes.filter((one) => one === '429 too_many_attempts').length, 10)
    const refused = await owner.send(POST, { email: 'next@example.com', role: 'member' })
    assert.equal(refused.headers['retry-after'], String(24 * 60 * 60 - 60))
    assert.match(JSON.stringify(refused.body), /can invite 100 people within 24 hours/)
    // Rejected requests count nothing.
    assert.equal(
      describeReply(await owner.send(POST, { email, role: 'boss' })),
      '422 validation_failed',
    )
    clock.advance(24 * 60 * 60_000 - 60_000)
    const confirmation = { current_password: TEST_PASSWORD }
    await owner.send('POST /internal/session/confirmation', confirmation)
    const later = await inviteMany(41)
    assert.equal(later.filter((one) => one === '201').length, 40)
  })
}
