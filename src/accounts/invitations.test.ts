import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WriteTx } from '#core/tx.ts'
import { command, type Scoped } from '#storage/statement.ts'
import { ORIGIN, PASSWORD, passwords, withPassword } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { docketOn } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer } from '#test/support/mail.ts'
import { type Step, scenario } from '#test/support/scenario.ts'

const prepare = passwords
const INVITATIONS = '/internal/invitations'
const POST = `POST ${INVITATIONS}`
const role = { error: { code: 'insufficient_role' } }
const missing = { error: { code: 'not_found' } }
const faults = (...details: object[]) => ({ error: { code: 'validation_failed', details } })
const lookup = { send: `${POST}/lookup`, as: 'nobody' } as const
const accept = { send: `${POST}/accept`, as: 'nobody', headers: ORIGIN } as const
const unknown = 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'

/** Keeps the token of the link under a name. */
const tokenAs = (name: string) => ({
  check: ({ body }: { body: unknown }, known: Record<string, string>) => {
    const { accept_url } = body as { accept_url: string }
    assert.match(accept_url, /^http:\/\/127\.0\.0\.1:4000\/invite\/[\w-]{43}$/)
    known[name] = accept_url.split('/').at(-1) ?? ''
  },
})

const invited = (email: string, name: string, more: object = {}): Step => ({
  send: POST,
  as: 'session',
  body: { email, role: 'member', ...more },
  status: 201,
  ...tokenAs(name),
})

scenario('owners and admins invite, owners alone owners, and the link is shown once', [
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
  ...(['member', 'guest'] as const).flatMap((who): Step[] => [
    { send: `GET ${INVITATIONS}`, as: `${who} session`, status: 403, reply: role },
    { send: POST, as: `${who} session`, body: {}, status: 403, reply: role },
    { send: `DELETE ${INVITATIONS}/{invitation}`, as: `${who} session`, status: 403, reply: role },
  ]),
  {
    send: POST,
    as: 'admin session',
    body: { email: 'no address', role: 'owner' },
    status: 403,
    reply: role,
  },
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
  {
    send: POST,
    as: 'session',
    body: { email: '{member_email}', role: 'guest' },
    status: 409,
    reply: { error: { code: 'already_member' } },
  },
  { send: `DELETE ${INVITATIONS}/{invitation}`, as: 'admin session', status: 204 },
  { send: `DELETE ${INVITATIONS}/{invitation}`, as: 'admin session', status: 404, reply: missing },
  { send: `DELETE ${INVITATIONS}/${unknown}`, as: 'session', status: 404, reply: missing },
])

const expire = command((db, $: Scoped<{ at: string }>) =>
  db
    .updateTable('invitations')
    .set({ expires_at: $.at })
    .where('workspace_id', '=', $.workspace_id),
)

scenario('a link is dead once it is replaced, taken back, expired or used', [
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
      has_account: false,
    },
  },
  {
    ...invited('{WORKSPACE}@Example.com', 'second', { email: ' {workspace}@EXAMPLE.com' }),
    keep: { second_id: 'id' },
  },
  { ...lookup, body: { token: '{first}' }, status: 404 },
  { ...accept, body: { token: '{first}', name: 'N', password: PASSWORD }, status: 404 },
  { ...lookup, body: { token: '{second}' }, status: 200 },
  { send: `DELETE ${INVITATIONS}/{second_id}`, as: 'session', status: 204 },
  { ...lookup, body: { token: '{second}' }, status: 404 },
  { ...accept, body: { token: '{second}', name: 'N', password: PASSWORD }, status: 404 },
  invited('{workspace}@example.com', 'third'),
  {
    ...lookup,
    prepare: (tx: WriteTx) => tx.run(expire, { at: tx.now }),
    body: { token: '{third}' },
    status: 404,
  },
  { ...accept, body: { token: '{third}', name: 'N', password: PASSWORD }, status: 404 },
  {
    send: `GET ${INVITATIONS}`,
    as: 'session',
    status: 200,
    reply: { data: [{ email: '{workspace}@example.com' }] },
  },
  invited('{workspace}@example.com', 'fourth'),
  {
    ...accept,
    body: { token: '{fourth}', name: 'N', password: PASSWORD },
    status: 201,
    events: ['member.added'],
  },
  { ...accept, body: { token: '{fourth}', password: PASSWORD }, status: 404, reply: missing },
  { ...lookup, body: { token: '{fourth}' }, status: 404 },
  { send: `GET ${INVITATIONS}`, as: 'session', status: 200, reply: { data: [] } },
])

scenario('who has no account makes one by the link, and is signed in', [
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
    body: { token: '{token}', name: 'Grace', password: PASSWORD },
    status: 403,
    reply: { error: { code: 'csrf_rejected' } },
  },
  {
    ...accept,
    body: { token: '{token}', name: ' Grace ', password: PASSWORD },
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
    headers: ORIGIN,
    body: { email: '{workspace}@example.com', password: PASSWORD },
    status: 201,
    reply: { user: { id: '{grace}' } },
  },
])

test('an invitation is mailed where mail is set up, with the link that is shown', async () => {
  const mail = await mailServer()
  const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'Docket <docket@example.com>' }
  const { storage, server } = await docketOn('sqlite', env)
  const home = await newHome(storage)
  const email = await withPassword(storage, home, 'owner')
  const owner = browser(server)
  await owner.send('POST /internal/session', { email, password: PASSWORD })
  const body = { email: 'ada@example.com', role: 'member' }
  const { body: made } = await owner.send(POST, body)
  const { to, text } = await mail.next()
  assert.deepEqual(to, ['ada@example.com'])
  assert.match(text, /^Subject: The owner invites you to Test on Docket$/m)
  assert.ok(text.includes(`\n${made.accept_url}\n`))
  // Nothing is mailed of what is refused.
  assert.equal(endOf(await owner.send(POST, { ...body, email })), '409 already_member')
  await mail.close()
  assert.equal(mail.count(), 0)
})
