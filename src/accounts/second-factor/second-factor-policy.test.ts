import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addPasskey, removePasskey } from '#auth/passkeys/passkeys.ts'
import { clearSecondFactors } from '#auth/second-factor/second-factor.ts'
import { ANONYMOUS_ACTOR, type Role } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import {
  assertAuditEntries,
  readChainHeads,
} from '#test/support/scenario/expected-audit-entries.ts'
import { openLiveStream } from '#test/support/server/live-stream.ts'
import { OIDC_CLIENT, startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createTotpApp, enrollSecondFactor } from '#test/support/world/totp-app.ts'
import { routes, sessionActions } from '../../server/app.ts'

const clock = createTestClock()
const company = await startOidcProvider()
after(() => company.close())

const SITE = 'http://localhost:4000'
const POLICY = '/internal/workspace/sign-in'
const MISSING = '403 second_factor_missing'
const BOOT = 'GET /internal/boot'

type PolicyBrowser = ReturnType<typeof createCookieClient>

/**
 * The endpoints for sessions without a required second factor: set one up, switch workspace, sign
 * out.
 */
const ALLOWED_WITHOUT_SECOND_FACTOR = [
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
  const setUp = async (env: Record<string, string> = {}) => {
    const settings = { DOCKET_BASE_URL: SITE, DOCKET_PORT: '4000', ...env }
    const served = await openTestDocket(
      engine,
      { ...withoutRowLevelSecurity(engine), ...settings },
      { clock },
    )
    const { storage, server } = served
    const home = await createTestWorkspace(storage)
    const emails = new Map<Role, string>()
    const enter = async (role: Role, one = createCookieClient(server, SITE)) => {
      // Setting the password again would end the open sessions.
      const email = emails.get(role) ?? (await setTestPassword(storage, home, role))
      emails.set(role, email)
      const entered = await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
      return { one, entered, email }
    }
    const owner = (await enter('owner')).one
    const setPolicy = (second_factor: string, one = owner) =>
      one.send(`PATCH ${POLICY}`, { second_factor })
    return { ...served, home, enter, owner, setPolicy }
  }
  /** The owner has a second factor, and all other members are required to have one. */
  const setUpWithPolicy = async (env: Record<string, string> = {}) => {
    const world = await setUp(env)
    await enrollSecondFactor(world.owner, clock)
    assert.equal(describeReply(await world.setPolicy('required')), '200')
    return world
  }
  const makePasskey = async (
    one: PolicyBrowser,
    key: ReturnType<typeof createSoftwareAuthenticator>,
  ) => {
    const asked = await one.send('POST /internal/account/passkeys/challenge', {
      current_password: TEST_PASSWORD,
    })
    if (asked.status !== 200) return asked
    const made = key.make({ challenge: String(asked.body.challenge) })
    return one.send('POST /internal/account/passkeys', { name: 'Laptop', ...made })
  }

  test(`only an owner with a second factor can require one of all members (${engine})`, async () => {
    const { storage, home, owner, setPolicy, enter } = await setUp()
    const rule = async () => (await owner.send(`GET ${POLICY}`)).body
    assert.deepEqual(await rule(), { second_factor: 'optional', without: 4 })
    assert.equal(describeReply(await setPolicy('required')), '409 second_factor_missing')
    await enrollSecondFactor(owner, clock)
    const { one: admin } = await enter('admin')
    assert.equal(describeReply(await setPolicy('required', admin)), '403 insufficient_role')
    const since = await readChainHeads(storage, home.workspace)
    const changed = await setPolicy('required')
    assert.deepEqual(changed.body, { second_factor: 'required', without: 3 })
    assert.match(changed.headers['x-operation-id'] ?? '', /^opr_/)
    assert.equal((await setPolicy('required')).headers['x-operation-id'], undefined)
    const details = {
      changed: ['second_factor'],
      second_factor: { from: 'optional', to: 'required' },
    }
    const entry = { action: 'workspace.updated', actor_id: home.people.owner, details } as const
    await assertAuditEntries(storage, since, new Set(), { wanted: [entry], where: 'the demand' })
    assert.equal(describeReply(await owner.send(BOOT)), '200')
    assert.equal(describeReply(await admin.send(BOOT)), MISSING)
    assert.equal(describeReply(await setPolicy('optional')), '200')
    assert.equal(describeReply(await admin.send(BOOT)), '200')
  })

  test(`sessions with one factor can only use the endpoints to set up a second (${engine})`, async () => {
    const { server, enter } = await setUpWithPolicy()
    const { one, entered } = await enter('admin')
    assert.equal(describeReply(entered), '201')
    const answered: string[] = []
    for (const { endpoint } of [...routes, ...sessionActions]) {
      if (endpoint.scope === 'open') continue
      const url = endpoint.path.replaceAll(/:\w+/g, 'x')
      const body = endpoint.method === 'GET' ? undefined : {}
      // Each request uses its own browser, because one of them signs out and one erases the
      // account.
      const asking = createCookieClient(server, SITE)
      for (const [name, value] of one.jar) asking.jar.set(name, value)
      const end = describeReply(await asking.send(`${endpoint.method} ${url}`, body))
      if (end !== MISSING) answered.push(`${endpoint.method} ${endpoint.path}`)
      if (endpoint.path === '/internal/session' && endpoint.method === 'DELETE')
        await enter('admin', one)
    }
    assert.deepEqual(answered.toSorted(), ALLOWED_WITHOUT_SECOND_FACTOR.toSorted())
  })

  test(`open sessions need the second factor from the next request on (${engine})`, async () => {
    const { owner, enter, setPolicy, server, home } = await setUp()
    const { one } = await enter('member')
    const { one: other } = await enter('member')
    assert.equal(describeReply(await one.send(BOOT)), '200')
    await enrollSecondFactor(owner, clock)
    assert.equal(describeReply(await setPolicy('required')), '200')
    assert.equal(describeReply(await one.send(BOOT)), MISSING)
    assert.equal(describeReply(await one.send('GET /api/v1/tasks')), MISSING)
    const state = await one.send('GET /internal/workspace/second-factor')
    assert.deepEqual(state.body, { name: 'Test', is_missing: true, workspaces: [] })
    // API keys are not affected.
    const authorization = `Bearer ${home.keys.member}`
    const byKey = await server.inject({ url: '/api/v1/tasks', headers: { authorization } })
    assert.equal(byKey.statusCode, 200)

    const { codes } = await enrollSecondFactor(one, clock)
    assert.equal(describeReply(await one.send(BOOT)), '200')
    // Only this session has shown it; other sessions still need it.
    assert.equal(describeReply(await other.send(BOOT)), MISSING)
    const code = { code: codes.next(), current_password: TEST_PASSWORD }
    assert.equal(
      describeReply(await one.send('POST /internal/account/second-factor/disable', code)),
      '200',
    )
    assert.equal(describeReply(await one.send(BOOT)), MISSING)
  })

  test(`a passkey counts as second factor only in sessions that were started with it (${engine})`, async () => {
    const { enter, server } = await setUpWithPolicy()
    const { one } = await enter('member')
    const key = createSoftwareAuthenticator()
    const made = await makePasskey(one, key)
    assert.equal(describeReply(made), '201')
    assert.equal(describeReply(await one.send(BOOT)), '200')
    const { one: byPassword } = await enter('member')
    assert.equal(describeReply(await byPassword.send(BOOT)), MISSING)
    const byKey = createCookieClient(server, SITE)
    const asked = await byKey.send('POST /internal/session/passkey/challenge', {})
    const shown = key.show({ challenge: String(asked.body.challenge) })
    assert.equal(describeReply(await byKey.send('POST /internal/session/passkey', shown)), '201')
    assert.equal(describeReply(await byKey.send(BOOT)), '200')
    const { id } = made.body as { id: string }
    const removed = await byKey.send(`DELETE /internal/account/passkeys/${id}`, {
      current_password: TEST_PASSWORD,
    })
    assert.equal(describeReply(removed), '204')
    assert.equal(describeReply(await byKey.send(BOOT)), MISSING)
  })

  test(`a session without the existing second factor cannot set up another (${engine})`, async () => {
    const { enter, storage, home, setPolicy, server } = await setUpWithPolicy()
    const { one: before } = await enter('member')
    const { one } = await enter('member')
    const early = await before.send('POST /internal/account/second-factor', {
      current_password: TEST_PASSWORD,
    })
    const { secret } = early.body as { secret: string }
    const key = createSoftwareAuthenticator()
    const made = await makePasskey(one, key)
    assert.equal(describeReply(made), '201')
    const prepare = (who: PolicyBrowser) =>
      who.send('POST /internal/account/second-factor', { current_password: TEST_PASSWORD })
    const AGAIN = '403 sign_in_again'
    // The password and a session without the passkey do not suffice, in any workspace.
    assert.equal(describeReply(await prepare(before)), AGAIN)
    const enable = { code: createTotpApp(secret, clock).next() }
    const enabled = await before.send('POST /internal/account/second-factor/enable', enable)
    assert.equal(describeReply(enabled), AGAIN)
    assert.equal(describeReply(await makePasskey(before, createSoftwareAuthenticator())), AGAIN)
    const elsewhere = await createTestWorkspace(storage)
    const there = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: elsewhere.workspace } as const
    await storage.write(there, (tx) =>
      addMember(tx, { user_id: home.people.member, name: 'M', role: 'member' }),
    )
    const moved = await before.send('PATCH /internal/session', {
      workspace_id: elsewhere.workspace,
    })
    assert.equal(describeReply(moved), '200')
    assert.equal(describeReply(await before.send(BOOT)), '200')
    assert.equal(describeReply(await prepare(before)), AGAIN)
    const remove = (who: PolicyBrowser) =>
      who.send(`DELETE /internal/account/passkeys/${String(made.body.id)}`, {
        current_password: TEST_PASSWORD,
      })
    assert.equal(describeReply(await remove(before)), AGAIN)
    // Nor do they suffice if no workspace requires a second factor.
    assert.equal(describeReply(await setPolicy('optional')), '200')
    assert.equal(describeReply(await remove(before)), AGAIN)
    const apiKey = { name: 'K', preset: 'full' }
    assert.equal(describeReply(await before.send('POST /internal/api-keys', apiKey)), AGAIN)
    const change = { current_password: TEST_PASSWORD, password: 'plum cake at night' }
    assert.equal(describeReply(await before.send('PATCH /internal/account', change)), AGAIN)
    const address = { current_password: TEST_PASSWORD, email: 'other@example.com' }
    assert.equal(describeReply(await before.send('PATCH /internal/account', address)), AGAIN)
    assert.equal(describeReply(await one.send('POST /internal/api-keys', apiKey)), '201')
    assert.equal(describeReply(await remove(one)), '204')
    assert.equal(describeReply(await prepare(before)), '200')

    // The same with TOTP: a session from before its setup cannot add a passkey.
    const { one: late } = await enter('guest')
    const { one: coded } = await enter('guest')
    await enrollSecondFactor(coded, clock)
    assert.equal(describeReply(await makePasskey(late, createSoftwareAuthenticator())), AGAIN)
    assert.equal(describeReply(await makePasskey(coded, createSoftwareAuthenticator())), '201')
    assert.equal(
      describeReply(await createCookieClient(server, SITE).send(BOOT)),
      '401 authentication_required',
    )
  })

  test(`clearing the second factor removes passkeys if there is no TOTP (${engine})`, async () => {
    const { enter, storage, home } = await setUpWithPolicy()
    const { one } = await enter('member')
    assert.equal(describeReply(await makePasskey(one, createSoftwareAuthenticator())), '201')
    const clear = () =>
      storage.write(ANONYMOUS_ACTOR, (tx) => clearSecondFactors(tx, home.people.member))
    assert.deepEqual([await clear(), await clear()], [true, false])
    const { one: again } = await enter('member')
    assert.equal(describeReply(await again.send(BOOT)), MISSING)
    await enrollSecondFactor(again, clock)
    assert.equal(describeReply(await again.send(BOOT)), '200')
  })

  test(`SSO sessions need no second factor (${engine})`, async () => {
    const { enter, server, owner } = await setUpWithPolicy({
      DOCKET_OIDC_ISSUER: company.issuer,
      DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
      DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      DOCKET_OIDC_NAME: 'Acme',
    })
    const { one, email } = await enter('member')
    company.become({ sub: `demanded-${engine}-${Date.now()}`, email, email_verified: true })
    const signInWithSso = async (who: PolicyBrowser, body: object) => {
      const begun = await who.send('POST /internal/company-sign-in', body)
      assert.equal(describeReply(begun), '200')
      const back = await company.visit(String(begun.body.redirect_to))
      const answer = Object.fromEntries(back.searchParams)
      return describeReply(await who.send('POST /internal/company-sign-in/finish', answer))
    }
    // A session with one factor may link the SSO identity, but that does not count as a factor.
    assert.equal(
      await signInWithSso(one, { purpose: 'link', current_password: TEST_PASSWORD }),
      '200',
    )
    assert.equal(describeReply(await one.send(BOOT)), MISSING)
    const byCompany = createCookieClient(server, SITE)
    assert.equal(await signInWithSso(byCompany, { purpose: 'sign_in' }), '200')
    assert.equal(describeReply(await byCompany.send(BOOT)), '200')
    assert.equal((await owner.send(`GET ${POLICY}`)).body.without, 2)
  })

  test(`a session with one factor cannot authorize an application for the workspace (${engine})`, async () => {
    const docket = await setUpWithPolicy()
    const { home, storage, config } = docket
    const app = await createTestApplication(docket, home, { distribution: 'public' })
    const { ask, decide } = createOAuthClient(docket, home, app)
    const elsewhere = await createTestWorkspace(storage)
    const people = { ...elsewhere.people, member: home.people.member }
    const there = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: elsewhere.workspace } as const
    await storage.write(there, (tx) =>
      addMember(tx, { user_id: people.member, name: 'M', role: 'member' }),
    )
    const member = await createTestSession(
      storage,
      { ...elsewhere, people },
      'member',
      config.baseUrl,
    )
    const asked = await ask({ code_challenge: createPkce().challenge }, member)
    const decision = await decide(asked.uid, member, asked.cookies)
    assert.equal(describeReply({ ...decision, headers: {} }), MISSING)
    const allow = { decision: 'allow', workspace_id: elsewhere.workspace }
    // Nor does a session suffice that has not shown the passkey of its user, in any workspace.
    const key = { user_id: people.member, credential: 'c', public_key: 'p', counter: 0 }
    const passkey = { ...key, transports: '[]', name: 'Laptop' }
    const added = await storage.write(ANONYMOUS_ACTOR, (tx) => addPasskey(tx, passkey))
    const early = await decide(asked.uid, member, asked.cookies, allow)
    assert.equal(describeReply({ ...early, headers: {} }), '403 sign_in_again')
    await storage.write(ANONYMOUS_ACTOR, (tx) => removePasskey(tx, people.member, added?.id ?? ''))
    assert.equal((await decide(asked.uid, member, asked.cookies, allow)).status, 200)
  })

  test(`the live stream ends when the workspace starts to require a second factor (${engine})`, async () => {
    const { server, enter, owner, setPolicy } = await setUp()
    const { one } = await enter('member')
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as { port: number }
    const cookie = `docket_session=${one.jar.get('docket_session')}`
    const live = await openLiveStream(port, { cookie, host: 'localhost:4000' })
    await enrollSecondFactor(owner, clock)
    assert.equal(describeReply(await setPolicy('required')), '200')
    assert.ok(await live.endsWithin())
    live.close()
  })
}
