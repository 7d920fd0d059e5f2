import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import {
  ENGINES,
  openTestDocket,
  testLog,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { OIDC_CLIENT, startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'
import { parseConfig } from '../../config/config.ts'
import { createApp } from '../../server/app.ts'

const clock = createTestClock()
const company = await startOidcProvider()
const other = await startOidcProvider()
after(() => Promise.all([company.close(), other.close()]))

const OIDC = {
  DOCKET_OIDC_ISSUER: company.issuer,
  DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
  DOCKET_OIDC_NAME: 'Acme',
}
const BEGIN = 'POST /internal/company-sign-in'
const FINISH = 'POST /internal/company-sign-in/finish'
const FAILED = '401 company_sign_in_failed'
const OVER = '401 sign_in_over'

type SsoBrowser = ReturnType<typeof createCookieClient>
let serial = 0
const sub = () => {
  serial += 1
  return `employee-${process.pid}-${Date.now()}-${serial}`
}

/** Follows the redirect to the provider and returns the parameters of its response. */
async function getProviderResponse(client: SsoBrowser, body: object = { purpose: 'sign_in' }) {
  const redirect = await client.send(BEGIN, body)
  assert.equal(describeReply(redirect), '200')
  const callback = await company.visit(String(redirect.body.redirect_to))
  assert.equal(`${callback.origin}${callback.pathname}`, 'http://127.0.0.1:4000/sign-in/company')
  return Object.fromEntries(callback.searchParams) as { code: string; state: string; iss: string }
}

const signInWithSso = async (client: SsoBrowser, body?: object) =>
  client.send(FINISH, await getProviderResponse(client, body))

for (const engine of ENGINES) {
  const setUp = async (env: Record<string, string> = {}) => {
    const served = await openTestDocket(
      engine,
      { ...withoutRowLevelSecurity(engine), ...OIDC, ...env },
      { clock },
    )
    const { storage } = served
    const home = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, home, 'member')
    const verify = () =>
      storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(markVerified, { id: home.people.member }))
    return { ...served, home, email, verify }
  }

  test(`links an account by email only if both sides have verified the address (${engine})`, async () => {
    const { server, email, verify, home } = await setUp()
    const setup = await createCookieClient(server).send('GET /internal/setup')
    assert.partialDeepStrictEqual(setup.body, { company: 'Acme', password: true } as object)
    company.become({ sub: sub(), email: email.toUpperCase(), email_verified: true, name: 'M' })
    assert.equal(
      describeReply(await signInWithSso(createCookieClient(server))),
      '409 account_not_linked',
    )
    await verify()
    const me = sub()
    for (const email_verified of [false, undefined]) {
      company.become({ sub: me, email, ...(email_verified !== undefined && { email_verified }) })
      assert.equal(
        describeReply(await signInWithSso(createCookieClient(server))),
        '403 company_email_refused',
      )
    }
    company.become({ sub: me, email, email_verified: true })
    const client = createCookieClient(server)
    const entered = await signInWithSso(client)
    assert.equal(describeReply(entered), '200')
    assert.equal((entered.body.user as { id: string }).id, home.people.member)
    assert.ok(!client.jar.has('docket_company'))
    const devices = (await client.send('GET /internal/sessions')).body.data as {
      signed_in_by: string
    }[]
    assert.equal(devices[0]?.signed_in_by, 'company')
    // From now on only the subject identifies the user, even if the address changes.
    company.become({ sub: me, email: 'new@elsewhere.example', email_verified: false })
    assert.equal(describeReply(await signInWithSso(createCookieClient(server))), '200')
  })

  test(`a user with a password links and unlinks the SSO identity in the profile (${engine})`, async () => {
    const { server, email, storage, home } = await setUp()
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const link = (more: object) => client.send(BEGIN, { purpose: 'link', ...more })
    assert.equal(describeReply(await link({})), '422 validation_failed')
    assert.equal(
      describeReply(await createCookieClient(server).send(BEGIN, { purpose: 'link' })),
      '401 authentication_required',
    )
    const me = { sub: sub(), email: 'other@acme.example', email_verified: true }
    company.become(me)
    assert.equal(
      describeReply(
        await signInWithSso(client, { purpose: 'link', current_password: TEST_PASSWORD }),
      ),
      '200',
    )
    assert.equal(describeReply(await signInWithSso(createCookieClient(server))), '200')
    const means = await client.send('GET /internal/account/sign-in')
    assert.equal((means.body.company as { email: string }).email, me.email)

    // No other account can link the same identity, and a response cannot be used in another
    // browser.
    const boss = createCookieClient(server)
    const bosses = await setTestPassword(storage, home, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: TEST_PASSWORD })
    const wanted = { purpose: 'link', current_password: TEST_PASSWORD }
    assert.equal(describeReply(await signInWithSso(boss, wanted)), '409 company_linked')
    const answer = await getProviderResponse(boss, wanted)
    assert.equal(describeReply(await client.send(FINISH, answer)), OVER)

    const unlink = (body: object) => client.send('DELETE /internal/account/company', body)
    assert.equal(describeReply(await unlink({})), '422 validation_failed')
    assert.equal(describeReply(await unlink({ current_password: TEST_PASSWORD })), '204')
    assert.equal(
      describeReply(await signInWithSso(createCookieClient(server))),
      '403 signup_disabled',
    )
  })

  test(`rejects provider responses with a wrong state, issuer, code, nonce or browser (${engine})`, async () => {
    const { server, email, verify } = await setUp()
    await verify()
    company.become({ sub: sub(), email, email_verified: true })
    const tryChanged = async (
      change: (answer: Awaited<ReturnType<typeof getProviderResponse>>) => object,
    ) => {
      const client = createCookieClient(server)
      const answer = await getProviderResponse(client)
      const end = describeReply(await client.send(FINISH, { ...answer, ...change(answer) }))
      assert.ok(!client.jar.has('docket_session'))
      // The stored state is consumed even if the attempt failed.
      assert.equal(describeReply(await client.send(FINISH, answer)), OVER)
      return end
    }
    assert.equal(await tryChanged(({ state }) => ({ state: `${state}x` })), FAILED)
    assert.equal(await tryChanged(() => ({ iss: other.issuer })), FAILED)
    assert.equal(await tryChanged(() => ({ iss: undefined })), FAILED)
    assert.equal(await tryChanged(() => ({ code: 'made-up' })), FAILED)
    // A response with an ID token that was signed for another nonce.
    const swapped = createCookieClient(server)
    const redirect = await swapped.send(BEGIN, { purpose: 'sign_in' })
    const address = new URL(String(redirect.body.redirect_to))
    address.searchParams.set('nonce', 'of somebody else')
    const callback = Object.fromEntries((await company.visit(address.href)).searchParams)
    assert.equal(describeReply(await swapped.send(FINISH, callback)), FAILED)
    // The code of another browser, without its PKCE verifier and nonce.
    const attacker = createCookieClient(server)
    const own = await getProviderResponse(attacker)
    const victimResponse = await getProviderResponse(createCookieClient(server))
    assert.equal(
      describeReply(await attacker.send(FINISH, { ...own, code: victimResponse.code })),
      FAILED,
    )
    // The complete response of another browser.
    assert.equal(describeReply(await createCookieClient(server).send(FINISH, victimResponse)), OVER)
    const client = createCookieClient(server)
    const answer = await getProviderResponse(client)
    assert.equal(describeReply(await client.send(FINISH, answer)), '200')
    assert.equal(describeReply(await client.send(FINISH, answer)), OVER)
    const foreign = { headers: { origin: 'https://evil.example' } }
    for (const line of [BEGIN, FINISH]) {
      assert.equal(
        describeReply(await client.send(line, { purpose: 'sign_in' }, foreign)),
        '403 csrf_rejected',
      )
    }
  })

  test(`new users from allowed domains join the configured workspace with its role (${engine})`, async (t) => {
    const { storage, config, home } = await setUp()
    const settings = parseConfig({
      ...OIDC,
      ...{ DOCKET_OIDC_WORKSPACE: home.workspace, DOCKET_OIDC_ROLE: 'guest' },
      DOCKET_OIDC_DOMAINS: 'acme.example',
    })
    const { server } = await createApp(
      storage,
      { ...config, sso: settings.sso },
      TEST_SECRET,
      testLog,
    )
    t.after(() => server.close())
    const subject = sub()
    company.become({ sub: subject, email: `${subject}@evil.example`, email_verified: true })
    assert.equal(
      describeReply(await signInWithSso(createCookieClient(server))),
      '403 company_email_refused',
    )
    company.become({
      sub: subject,
      email: `${subject}@acme.example`,
      email_verified: true,
      name: 'Ada',
    })
    const clients = [createCookieClient(server), createCookieClient(server)]
    const answers = await Promise.all(clients.map((client) => getProviderResponse(client)))
    const ends = await Promise.all(clients.map((client, at) => client.send(FINISH, answers[at])))
    assert.ok(ends.map(describeReply).includes('200'), ends.map(describeReply).join())
    const again = await signInWithSso(createCookieClient(server), { purpose: 'sign_in' })
    assert.partialDeepStrictEqual(again.body, {
      user: { name: 'Ada', role: 'guest' },
      workspace: { id: home.workspace },
    } as object)
  })

  test(`invited users, new or existing, accept with SSO (${engine})`, async () => {
    const { server, storage, home } = await setUp()
    const owner = createCookieClient(server)
    const owners = await setTestPassword(storage, home, 'owner')
    await owner.send('POST /internal/session', { email: owners, password: TEST_PASSWORD })
    const email = `${sub()}@acme.example`
    const invite = async (from: SsoBrowser) => {
      const made = await from.send('POST /internal/invitations', { email, role: 'member' })
      return String(made.body.accept_url).split('/').at(-1)
    }
    const me = sub()
    company.become({ sub: me, email: 'somebody@else.example', email_verified: true })
    const invitation = await invite(owner)
    assert.equal(
      describeReply(
        await signInWithSso(createCookieClient(server), { purpose: 'sign_in', invitation }),
      ),
      '403 signup_disabled',
    )
    company.become({ sub: me, email, email_verified: true, name: 'Invited' })
    const joined = await signInWithSso(createCookieClient(server), {
      purpose: 'sign_in',
      invitation,
    })
    assert.equal(describeReply(joined), '200')
    assert.partialDeepStrictEqual(joined.body, {
      user: { name: 'Invited', role: 'member' },
    } as object)
    const otherHome = await createTestWorkspace(storage)
    const boss = createCookieClient(server)
    const bosses = await setTestPassword(storage, otherHome, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: TEST_PASSWORD })
    const second = await signInWithSso(createCookieClient(server), {
      purpose: 'sign_in',
      invitation: await invite(boss),
    })
    assert.equal((second.body.workspace as { id: string }).id, otherHome.workspace)
  })

  test(`SSO sign-in requires the second factor, too (${engine})`, async () => {
    const { server, email, verify } = await setUp()
    await verify()
    const known = createCookieClient(server)
    await known.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const earlier = createCookieClient(server)
    await earlier.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const { codes } = await enrollSecondFactor(known, clock)
    // A session by single sign-on would count as one with a second factor.
    const link = { purpose: 'link', current_password: TEST_PASSWORD }
    assert.equal(describeReply(await earlier.send(BEGIN, link)), '403 sign_in_again')
    company.become({ sub: sub(), email, email_verified: true })
    const client = createCookieClient(server)
    assert.equal(describeReply(await signInWithSso(client)), '401 second_factor_required')
    const code = { code: codes.next() }
    assert.equal(
      describeReply(await client.send('POST /internal/session/second-factor', code)),
      '201',
    )
  })

  test(`SSO-only mode closes all other sign-in methods (${engine})`, async () => {
    const { server, storage, home, email, verify } = await setUp({ DOCKET_OIDC_ONLY: '1' })
    const CLOSED = '403 company_sign_in_only'
    const client = createCookieClient(server)
    const closed: [string, object][] = [
      ['POST /internal/session', { email, password: TEST_PASSWORD }],
      ['POST /internal/password-resets', { email }],
      ['POST /internal/password-resets/accept', { token: 'x', password: TEST_PASSWORD }],
      ['POST /internal/invitations/accept', { token: 'x', name: 'X', password: TEST_PASSWORD }],
      ['POST /internal/signup', {}],
    ]
    for (const [line, body] of closed)
      assert.equal(describeReply(await client.send(line, body)), CLOSED, line)
    // Nor can a session of somebody else make an account with a password.
    const owner = createCookieClient(server)
    const { headers } = await createTestSession(storage, home, 'owner')
    const invitation = { email: `${sub()}@acme.example`, role: 'member' }
    const invited = await owner.send('POST /internal/invitations', invitation, { headers })
    const token = String(invited.body.accept_url).split('/').at(-1)
    const accepted = { token, name: 'Invited', password: TEST_PASSWORD }
    assert.equal(
      describeReply(await owner.send('POST /internal/invitations/accept', accepted, { headers })),
      CLOSED,
    )
    await verify()
    company.become({ sub: sub(), email, email_verified: true })
    assert.equal(describeReply(await signInWithSso(client)), '200')
    const change = { password: 'plum cake at night', current_password: TEST_PASSWORD }
    assert.equal(describeReply(await client.send('PATCH /internal/account', change)), CLOSED)
    assert.equal(
      describeReply(await client.send('PATCH /internal/account', { name: 'Renamed' })),
      '200',
    )
  })
}

test('returns 503 for an unreachable provider and caches its metadata and failures', async () => {
  const closedProvider = await startOidcProvider()
  await closedProvider.close()
  const { server } = await openTestDocket('sqlite', {
    ...OIDC,
    DOCKET_OIDC_ISSUER: closedProvider.issuer,
  })
  const all = await Promise.all(
    [1, 2, 3].map(() => createCookieClient(server).send(BEGIN, { purpose: 'sign_in' })),
  )
  assert.deepEqual(all.map(describeReply), Array(3).fill('503 unavailable'))
  assert.equal(all[0]?.headers['retry-after'], '10')
  const stoppedProvider = await startOidcProvider()
  const { server: otherServer } = await openTestDocket('sqlite', {
    ...OIDC,
    DOCKET_OIDC_ISSUER: stoppedProvider.issuer,
  })
  const client = createCookieClient(otherServer)
  const redirect = await client.send(BEGIN, { purpose: 'sign_in' })
  const callback = await stoppedProvider.visit(String(redirect.body.redirect_to))
  await stoppedProvider.close()
  assert.equal(
    describeReply(await client.send(FINISH, Object.fromEntries(callback.searchParams))),
    '503 unavailable',
  )
  const { server: serverWithoutSso } = await openTestDocket('sqlite', {})
  assert.equal(
    describeReply(await createCookieClient(serverWithoutSso).send(BEGIN, { purpose: 'sign_in' })),
    '404 not_found',
  )
  // The metadata of a reachable provider is requested once.
  const before = company.asked.filter((path) => path.includes('well-known')).length
  const { server: otherHome } = await openTestDocket('sqlite', {
    ...OIDC,
    DOCKET_OIDC_NAME: 'Once',
  })
  for (let time = 0; time < 3; time += 1) {
    assert.equal(
      describeReply(await createCookieClient(otherHome).send(BEGIN, { purpose: 'sign_in' })),
      '200',
    )
  }
  assert.equal(company.asked.filter((path) => path.includes('well-known')).length, before + 1)
})

const markVerified = unscopedCommand((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)
