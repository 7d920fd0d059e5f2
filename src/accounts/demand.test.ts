import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOBODY, type Role } from '#core/actor.ts'
import { clearFactor } from '#identity/second-factor.ts'
import { addMember } from '#resources/members/membership.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { assertAudited, endsOf } from '#test/support/audited.ts'
import { codesOf, withSecondFactor } from '#test/support/authenticator.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { createTestClock } from '#test/support/clock.ts'
import { CLIENT, companyProvider } from '#test/support/company.ts'
import { docketOn, ENGINES, withoutWalls } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { openLive } from '#test/support/live.ts'
import { client, newApp, newPkce } from '#test/support/oauth.ts'
import { passkey } from '#test/support/passkey.ts'
import { sessionOf } from '#test/support/session.ts'
import { doors, routes } from '../app.ts'

const clock = createTestClock()
const company = await companyProvider()
after(() => company.close())

const SITE = 'http://localhost:4000'
const RULE = '/internal/workspace/sign-in'
const MISSING = '403 second_factor_missing'
const BOOT = 'GET /internal/boot'

type One = ReturnType<typeof browser>

/** What a session may ask that lacks the second factor: to set one up, to go elsewhere, to leave. */
const BEFORE = [
  'GET /internal/workspace/second-factor',
  'GET /internal/account/sign-in',
  'POST /internal/account/second-factor',
  'POST /internal/account/second-factor/enable',
  'POST /internal/account/passkeys/challenge',
  'POST /internal/account/passkeys',
  'PATCH /internal/session',
  'DELETE /internal/session',
  'DELETE /internal/account',
]

for (const engine of ENGINES) {
  const peopled = async (env: Record<string, string> = {}) => {
    const settings = { DOCKET_BASE_URL: SITE, DOCKET_PORT: '4000', ...env }
    const served = await docketOn(engine, { ...withoutWalls(engine), ...settings }, { clock })
    const { storage, server } = served
    const home = await newHome(storage)
    const emails = new Map<Role, string>()
    const enter = async (role: Role, one = browser(server, SITE)) => {
      // Another password would end the sessions that are open.
      const email = emails.get(role) ?? (await withPassword(storage, home, role))
      emails.set(role, email)
      const entered = await one.send('POST /internal/session', { email, password: PASSWORD })
      return { one, entered, email }
    }
    const owner = (await enter('owner')).one
    const demand = (second_factor: string, one = owner) =>
      one.send(`PATCH ${RULE}`, { second_factor })
    return { ...served, home, enter, owner, demand }
  }
  /** The owner has a second factor, and everybody else is to have one. */
  const demanding = async (env: Record<string, string> = {}) => {
    const world = await peopled(env)
    await withSecondFactor(world.owner, clock)
    assert.equal(endOf(await world.demand('required')), '200')
    return world
  }
  const makePasskey = async (one: One, key: ReturnType<typeof passkey>) => {
    const asked = await one.send('POST /internal/account/passkeys/challenge', {
      current_password: PASSWORD,
    })
    if (asked.status !== 200) return asked
    const made = key.make({ challenge: String(asked.body.challenge) })
    return one.send('POST /internal/account/passkeys', { name: 'Laptop', ...made })
  }

  test(`an owner demands a second factor, who has shown one (${engine})`, async () => {
    const { storage, home, owner, demand, enter } = await peopled()
    const rule = async () => (await owner.send(`GET ${RULE}`)).body
    assert.deepEqual(await rule(), { second_factor: 'optional', without: 4 })
    assert.equal(endOf(await demand('required')), '409 second_factor_missing')
    await withSecondFactor(owner, clock)
    const { one: admin } = await enter('admin')
    assert.equal(endOf(await demand('required', admin)), '403 insufficient_role')
    const since = await endsOf(storage, home.workspace)
    const changed = await demand('required')
    assert.deepEqual(changed.body, { second_factor: 'required', without: 3 })
    assert.match(changed.headers['x-operation-id'] ?? '', /^opr_/)
    assert.equal((await demand('required')).headers['x-operation-id'], undefined)
    const details = {
      changed: ['second_factor'],
      second_factor: { from: 'optional', to: 'required' },
    }
    const entry = { action: 'workspace.updated', actor_id: home.people.owner, details } as const
    await assertAudited(storage, since, new Set(), { wanted: [entry], where: 'the demand' })
    assert.equal(endOf(await owner.send(BOOT)), '200')
    assert.equal(endOf(await admin.send(BOOT)), MISSING)
    assert.equal(endOf(await demand('optional')), '200')
    assert.equal(endOf(await admin.send(BOOT)), '200')
  })

  test(`who has shown one factor is answered nothing of the workspace (${engine})`, async () => {
    const { server, enter } = await demanding()
    const { one, entered } = await enter('admin')
    assert.equal(endOf(entered), '201')
    const answered: string[] = []
    for (const { endpoint } of [...routes, ...doors]) {
      if (endpoint.scope === 'open') continue
      const url = endpoint.path.replaceAll(/:\w+/g, 'x')
      const body = endpoint.method === 'GET' ? undefined : {}
      // Each of a session of its own: one of them signs out, and one ends all of them.
      const asking = browser(server, SITE)
      for (const [name, value] of one.jar) asking.jar.set(name, value)
      const end = endOf(await asking.send(`${endpoint.method} ${url}`, body))
      if (end !== MISSING) answered.push(`${endpoint.method} ${endpoint.path}`)
      if (endpoint.path === '/internal/session' && endpoint.method === 'DELETE')
        await enter('admin', one)
    }
    assert.deepEqual(answered.toSorted(), BEFORE.toSorted())
  })

  test(`sessions that are open are asked with their next request, and go on by a code (${engine})`, async () => {
    const { owner, enter, demand, server, home } = await peopled()
    const { one } = await enter('member')
    const { one: other } = await enter('member')
    assert.equal(endOf(await one.send(BOOT)), '200')
    await withSecondFactor(owner, clock)
    assert.equal(endOf(await demand('required')), '200')
    assert.equal(endOf(await one.send(BOOT)), MISSING)
    assert.equal(endOf(await one.send('GET /api/v1/tasks')), MISSING)
    const told = await one.send('GET /internal/workspace/second-factor')
    assert.deepEqual(told.body, { name: 'Test', is_missing: true, workspaces: [] })
    // Keys are no sessions.
    const authorization = `Bearer ${home.keys.member}`
    const byKey = await server.inject({ url: '/api/v1/tasks', headers: { authorization } })
    assert.equal(byKey.statusCode, 200)

    const { codes } = await withSecondFactor(one, clock)
    assert.equal(endOf(await one.send(BOOT)), '200')
    // It was shown here: elsewhere it is asked for.
    assert.equal(endOf(await other.send(BOOT)), MISSING)
    const code = { code: codes.next(), current_password: PASSWORD }
    assert.equal(endOf(await one.send('POST /internal/account/second-factor/disable', code)), '200')
    assert.equal(endOf(await one.send(BOOT)), MISSING)
  })

  test(`a passkey is a second factor, and a password beside it is none (${engine})`, async () => {
    const { enter, server } = await demanding()
    const { one } = await enter('member')
    const key = passkey()
    const made = await makePasskey(one, key)
    assert.equal(endOf(made), '201')
    assert.equal(endOf(await one.send(BOOT)), '200')
    const { one: byPassword } = await enter('member')
    assert.equal(endOf(await byPassword.send(BOOT)), MISSING)
    const byKey = browser(server, SITE)
    const asked = await byKey.send('POST /internal/session/passkey/challenge', {})
    const shown = key.show({ challenge: String(asked.body.challenge) })
    assert.equal(endOf(await byKey.send('POST /internal/session/passkey', shown)), '201')
    assert.equal(endOf(await byKey.send(BOOT)), '200')
    const { id } = made.body as { id: string }
    assert.equal(endOf(await byKey.send(`DELETE /internal/account/passkeys/${id}`)), '204')
    assert.equal(endOf(await byKey.send(BOOT)), MISSING)
  })

  test(`a password makes no second factor in place of the one that is there (${engine})`, async () => {
    const { enter, storage, home, demand, server } = await demanding()
    const { one: before } = await enter('member')
    const { one } = await enter('member')
    const early = await before.send('POST /internal/account/second-factor', {
      current_password: PASSWORD,
    })
    const { secret } = early.body as { secret: string }
    const key = passkey()
    const made = await makePasskey(one, key)
    assert.equal(endOf(made), '201')
    const prepare = (who: One) =>
      who.send('POST /internal/account/second-factor', { current_password: PASSWORD })
    const AGAIN = '403 sign_in_again'
    // The password, and a session in which the passkey was not shown, wherever that stands.
    assert.equal(endOf(await prepare(before)), AGAIN)
    const enable = { code: codesOf(secret, clock).next() }
    const enabled = await before.send('POST /internal/account/second-factor/enable', enable)
    assert.equal(endOf(enabled), AGAIN)
    assert.equal(endOf(await makePasskey(before, passkey())), AGAIN)
    const elsewhere = await newHome(storage)
    const there = { ...NOBODY, role: 'owner', workspace_id: elsewhere.workspace } as const
    await storage.write(there, (tx) =>
      addMember(tx, { user_id: home.people.member, name: 'M', role: 'member' }),
    )
    const moved = await before.send('PATCH /internal/session', {
      workspace_id: elsewhere.workspace,
    })
    assert.equal(endOf(moved), '200')
    assert.equal(endOf(await before.send(BOOT)), '200')
    assert.equal(endOf(await prepare(before)), AGAIN)
    const address = `/internal/account/passkeys/${String(made.body.id)}`
    assert.equal(endOf(await before.send(`DELETE ${address}`)), MISSING)
    // Where nobody demands one it may go: it may be lost.
    assert.equal(endOf(await demand('optional')), '200')
    assert.equal(endOf(await before.send(`DELETE ${address}`)), '204')
    assert.equal(endOf(await prepare(before)), '200')

    // The same with codes: a session from before they were there makes no passkey.
    const { one: late } = await enter('guest')
    const { one: coded } = await enter('guest')
    await withSecondFactor(coded, clock)
    assert.equal(endOf(await makePasskey(late, passkey())), AGAIN)
    assert.equal(endOf(await makePasskey(coded, passkey())), '201')
    assert.equal(endOf(await browser(server, SITE).send(BOOT)), '401 authentication_required')
  })

  test(`an operator takes a lost passkey away where it is all there is (${engine})`, async () => {
    const { enter, storage, home } = await demanding()
    const { one } = await enter('member')
    assert.equal(endOf(await makePasskey(one, passkey())), '201')
    const clear = () => storage.write(NOBODY, (tx) => clearFactor(tx, home.people.member))
    assert.deepEqual([await clear(), await clear()], [true, false])
    const { one: again } = await enter('member')
    assert.equal(endOf(await again.send(BOOT)), MISSING)
    await withSecondFactor(again, clock)
    assert.equal(endOf(await again.send(BOOT)), '200')
  })

  test(`who comes by the company has been looked at there (${engine})`, async () => {
    const { enter, server, owner } = await demanding({
      DOCKET_OIDC_ISSUER: company.issuer,
      DOCKET_OIDC_CLIENT_ID: CLIENT.id,
      DOCKET_OIDC_CLIENT_SECRET: CLIENT.secret,
      DOCKET_OIDC_NAME: 'Acme',
    })
    const { one, email } = await enter('member')
    company.become({ sub: `demanded-${engine}-${Date.now()}`, email, email_verified: true })
    const come = async (who: One, body: object) => {
      const begun = await who.send('POST /internal/company-sign-in', body)
      assert.equal(endOf(begun), '200')
      const back = await company.visit(String(begun.body.redirect_to))
      const answer = Object.fromEntries(back.searchParams)
      return endOf(await who.send('POST /internal/company-sign-in/finish', answer))
    }
    // A session of one factor may say who that is there; it is let in no further by that.
    assert.equal(await come(one, { purpose: 'link', current_password: PASSWORD }), '200')
    assert.equal(endOf(await one.send(BOOT)), MISSING)
    const byCompany = browser(server, SITE)
    assert.equal(await come(byCompany, { purpose: 'sign_in' }), '200')
    assert.equal(endOf(await byCompany.send(BOOT)), '200')
    assert.equal((await owner.send(`GET ${RULE}`)).body.without, 2)
  })

  test(`no session of one factor opens it to an application, from elsewhere either (${engine})`, async () => {
    const docket = await demanding()
    const { home, storage, config } = docket
    const app = await newApp(docket, home, { distribution: 'public' })
    const { ask, decide } = client(docket, home, app)
    const elsewhere = await newHome(storage)
    const people = { ...elsewhere.people, member: home.people.member }
    const there = { ...NOBODY, role: 'owner', workspace_id: elsewhere.workspace } as const
    await storage.write(there, (tx) =>
      addMember(tx, { user_id: people.member, name: 'M', role: 'member' }),
    )
    const member = await sessionOf(storage, { ...elsewhere, people }, 'member', config.baseUrl)
    const asked = await ask({ code_challenge: newPkce().challenge }, member)
    const decision = await decide(asked.uid, member, asked.cookies)
    assert.equal(endOf({ ...decision, headers: {} }), MISSING)
    const allow = { decision: 'allow', workspace_id: elsewhere.workspace }
    assert.equal((await decide(asked.uid, member, asked.cookies, allow)).status, 200)
  })

  test(`a page that looks on is told no more (${engine})`, async () => {
    const { server, enter, owner, demand } = await peopled()
    const { one } = await enter('member')
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as { port: number }
    const cookie = `docket_session=${one.jar.get('docket_session')}`
    const live = await openLive(port, { cookie, host: 'localhost:4000' })
    await withSecondFactor(owner, clock)
    assert.equal(endOf(await demand('required')), '200')
    assert.ok(await live.endsWithin())
    live.close()
  })
}
