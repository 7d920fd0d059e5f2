import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { WriteTx } from '#core/tx.ts'
import { join } from '#resources/members/membership.ts'
import { command, query, queryOfAll, type Scoped } from '#storage/statement.ts'
import { ORIGIN, PASSWORD, passwords, withPassword } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer } from '#test/support/mail.ts'
import { eventsOf, type Step, scenario } from '#test/support/scenario.ts'

const prepare = await passwords
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

for (const engine of ENGINES) {
  const invite = async () => {
    const docket = await docketOn(engine)
    const { storage, server } = docket
    const [home, other] = [await newHome(storage), await newHome(storage)]
    const email = await withPassword(storage, other, 'member')
    const signedIn = async (where: typeof home) => {
      const owner = browser(server)
      const own = await withPassword(storage, where, 'owner')
      await owner.send('POST /internal/session', { email: own, password: PASSWORD })
      return owner
    }
    const tokenBy = async (by: ReturnType<typeof browser>, to: string) => {
      const { body } = await by.send(POST, { email: to, role: 'admin' })
      return String(body.accept_url).split('/').at(-1)
    }
    const owner = await signedIn(home)
    const token = (to = email) => tokenBy(owner, to)
    const tokenOf = async (where: typeof home, to: string) => tokenBy(await signedIn(where), to)
    const kinds = async () => (await eventsOf(storage, home.workspace)).map(({ type }) => type)
    return { ...docket, home, other, email, owner, token, tokenOf, kinds }
  }
  const tries = (who: ReturnType<typeof browser>, body: object) => who.send(`${POST}/accept`, body)

  test(`the link alone never opens an account that is there (${engine})`, async () => {
    const { server, storage, home, other, owner, token, kinds } = await invite()
    const link = await token()
    const one = browser(server)
    const told = await one.send(`${POST}/lookup`, { token: link })
    assert.deepEqual(told.body.has_account, true)
    const no = '401 invalid_credentials'
    assert.equal(endOf(await tries(one, { token: link })), no)
    assert.equal(
      endOf(await tries(one, { token: link, name: 'X', password: 'plum tart at 9' })),
      no,
    )
    // The session of somebody else does not help.
    assert.equal(endOf(await tries(owner, { token: link })), no)
    assert.equal(one.jar.size, 0)
    assert.deepEqual(await kinds(), [])

    const joined = await tries(one, { token: link, password: PASSWORD })
    assert.equal(endOf(joined), '201')
    const { user, workspace, workspaces } = joined.body as Record<string, { id: string }>
    assert.deepEqual([user?.id, workspace?.id], [other.people.member, home.workspace])
    assert.equal((workspaces as unknown as []).length, 2)
    assert.deepEqual(await kinds(), ['member.added'])
    const [event] = await eventsOf(storage, home.workspace)
    const { actor } = JSON.parse(event?.payload ?? '{}')
    assert.deepEqual(actor, {
      type: 'user',
      user_id: other.people.member,
      name: 'The member',
      credential_id: null,
    })
  })

  test(`who is signed in accepts without a password (${engine})`, async () => {
    const { server, home, email, token, kinds } = await invite()
    const one = browser(server)
    await one.send('POST /internal/session', { email, password: PASSWORD })
    const link = await token()
    const joined = await tries(one, { token: link })
    assert.deepEqual(endOf(joined), '201')
    assert.equal((joined.body.workspace as { id: string }).id, home.workspace)
    assert.equal(endOf(await one.send('GET /internal/session')), '200')
    assert.deepEqual(await kinds(), ['member.added'])
    assert.equal(endOf(await tries(one, { token: link })), '404 not_found')
  })

  test(`who became a member in another way is told so (${engine})`, async () => {
    const { server, storage, home, other, token, kinds } = await invite()
    const link = await token()
    const known = { user_id: other.people.member, name: 'The member', role: 'guest' } as const
    const actor = { ...NOBODY, workspace_id: home.workspace }
    await storage.write(actor, (tx) => join(tx, known))
    const body = { token: link, password: PASSWORD }
    for (let times = 0; times < 2; times++) {
      assert.equal(endOf(await tries(browser(server), body)), '409 already_member')
    }
    assert.deepEqual(await kinds(), [])
  })

  test(`of two who accept one link at once one comes in (${engine})`, async () => {
    const { server, storage, home, other, token, tokenOf } = await invite()
    const fresh_email = `both@${home.workspace.slice(4)}.example`
    const ends = async (bodies: object[]) =>
      (await Promise.all(bodies.map((body) => tries(browser(server), body)))).map(endOf).toSorted()
    const fresh = await token(`fresh@${home.workspace.slice(4)}.example`)
    const asNew = ['A', 'B', 'C'].map((name) => ({ token: fresh, name, password: PASSWORD }))
    assert.deepEqual(await ends(asNew), ['201', '404 not_found', '404 not_found'])
    // Two workspaces invite a new address: the second one finds the account that the first has made.
    const [here, there] = [await token(fresh_email), await tokenOf(other, fresh_email)]
    const twice = [
      { token: here, name: 'Here', password: PASSWORD },
      { token: there, name: 'There', password: `${PASSWORD} there` },
    ]
    assert.deepEqual(await ends(twice), ['201', '401 invalid_credentials'])
    const link = await token()
    const asKnown = Array(2).fill({ token: link, password: PASSWORD })
    assert.deepEqual(await ends(asKnown), ['201', '404 not_found'])
    for (const { workspace } of [home, other]) {
      const rows = await storage.read({ ...NOBODY, workspace_id: workspace }, (tx) =>
        tx.all(membersOf, {}),
      )
      const events = (await eventsOf(storage, workspace)).map(({ type }) => type)
      assert.deepEqual(events, Array(rows.length - 4).fill('member.added'))
    }
    const accounts = await storage.read(NOBODY, (tx) =>
      tx.all(accountsWith, { email: fresh_email }),
    )
    assert.equal(accounts.length, 1)
  })

  test(`guessing at an account by its link is throttled (${engine})`, async () => {
    const { server, token } = await invite()
    const link = await token()
    const guesses = Array.from({ length: 14 }, (_, at) => ({
      token: link,
      password: `a wrong guess ${at}`,
    }))
    const ends: string[] = []
    for (const body of guesses) ends.push(endOf(await tries(browser(server), body)))
    assert.deepEqual(
      ends,
      guesses.map((_, at) => (at < 10 ? '401 invalid_credentials' : '429 too_many_attempts')),
    )
    const right = await tries(browser(server), { token: link, password: PASSWORD })
    assert.equal(endOf(right), '429 too_many_attempts')
  })
}

const accountsWith = queryOfAll((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

const membersOf = query((db, $: Scoped) =>
  db.selectFrom('memberships').select('user_id').where('workspace_id', '=', $.workspace_id),
)

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
