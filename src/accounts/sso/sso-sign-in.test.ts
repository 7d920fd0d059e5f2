import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  BEGIN_SSO,
  createOidcSettings,
  createSsoSteps,
  FINISH_SSO,
  newSubject,
  openSsoWorkspace,
} from '#test/support/world/sso-workspace.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const company = await startOidcProvider()
const other = await startOidcProvider()
after(() => Promise.all([company.close(), other.close()]))

const OIDC = createOidcSettings(company)
const FAILED = '401 company_sign_in_failed'
const OVER = '401 sign_in_over'

const { getProviderResponse, signInWithSso } = createSsoSteps(company)

for (const engine of ENGINES) {
  const setUp = (env: Record<string, string> = {}) =>
    openSsoWorkspace(engine, clock, { ...OIDC, ...env })

  test(`links an account by an email address that the provider has verified (${engine})`, async () => {
    const { server, email, verify, team } = await setUp()
    const setup = await createCookieClient(server).send('GET /internal/setup')
    assert.partialDeepStrictEqual(setup.body, {
      company: new URL(company.issuer).host,
      password: true,
    } as object)
    await verify()
    const me = newSubject()
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
    assert.equal((entered.body.user as { id: string }).id, team.people.member)
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
    const { server, email, storage, team } = await setUp()
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const link = (more: object) => client.send(BEGIN_SSO, { purpose: 'link', ...more })
    assert.equal(describeReply(await link({})), '422 validation_failed')
    assert.equal(
      describeReply(await createCookieClient(server).send(BEGIN_SSO, { purpose: 'link' })),
      '401 authentication_required',
    )
    const me = { sub: newSubject(), email: 'other@acme.example', email_verified: true }
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
    const bosses = await setTestPassword(storage, team, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: TEST_PASSWORD })
    const wanted = { purpose: 'link', current_password: TEST_PASSWORD }
    for (const current_password of [undefined, 'not the password'])
      assert.equal(
        describeReply(
          await boss.send('POST /internal/company-sign-in', { purpose: 'link', current_password }),
        ),
        '422 validation_failed',
      )
    assert.equal(describeReply(await signInWithSso(boss, wanted)), '409 company_linked')
    const answer = await getProviderResponse(boss, wanted)
    assert.equal(describeReply(await client.send(FINISH_SSO, answer)), OVER)

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
    company.become({ sub: newSubject(), email, email_verified: true })
    const tryChanged = async (
      change: (answer: Awaited<ReturnType<typeof getProviderResponse>>) => object,
    ) => {
      const client = createCookieClient(server)
      const answer = await getProviderResponse(client)
      const end = describeReply(await client.send(FINISH_SSO, { ...answer, ...change(answer) }))
      assert.ok(!client.jar.has('docket_session'))
      // The stored state is consumed even if the attempt failed.
      assert.equal(describeReply(await client.send(FINISH_SSO, answer)), OVER)
      return end
    }
    assert.equal(await tryChanged(({ state }) => ({ state: `${state}x` })), FAILED)
    assert.equal(await tryChanged(() => ({ iss: other.issuer })), FAILED)
    assert.equal(await tryChanged(() => ({ iss: undefined })), FAILED)
    assert.equal(await tryChanged(() => ({ code: 'made-up' })), FAILED)
    // A response with an ID token that was signed for another nonce.
    const swapped = createCookieClient(server)
    const redirect = await swapped.send(BEGIN_SSO, { purpose: 'sign_in' })
    const address = new URL(String(redirect.body.redirect_to))
    address.searchParams.set('nonce', 'of somebody else')
    const callback = Object.fromEntries((await company.visit(address.href)).searchParams)
    assert.equal(describeReply(await swapped.send(FINISH_SSO, callback)), FAILED)
    // The code of another browser, without its PKCE verifier and nonce.
    const attacker = createCookieClient(server)
    const own = await getProviderResponse(attacker)
    const victimResponse = await getProviderResponse(createCookieClient(server))
    assert.equal(
      describeReply(await attacker.send(FINISH_SSO, { ...own, code: victimResponse.code })),
      FAILED,
    )
    // The complete response of another browser.
    assert.equal(
      describeReply(await createCookieClient(server).send(FINISH_SSO, victimResponse)),
      OVER,
    )
    const client = createCookieClient(server)
    const answer = await getProviderResponse(client)
    assert.equal(describeReply(await client.send(FINISH_SSO, answer)), '200')
    assert.equal(describeReply(await client.send(FINISH_SSO, answer)), OVER)
    const foreign = { headers: { origin: 'https://evil.example' } }
    for (const line of [BEGIN_SSO, FINISH_SSO]) {
      assert.equal(
        describeReply(await client.send(line, { purpose: 'sign_in' }, foreign)),
        '403 csrf_rejected',
      )
    }
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
    assert.equal(describeReply(await earlier.send(BEGIN_SSO, link)), '403 sign_in_again')
    company.become({ sub: newSubject(), email, email_verified: true })
    const client = createCookieClient(server)
    assert.equal(describeReply(await signInWithSso(client)), '401 second_factor_required')
    const code = { code: codes.next() }
    assert.equal(
      describeReply(await client.send('POST /internal/session/second-factor', code)),
      '201',
    )
  })

  test(`SSO-only mode closes all other sign-in methods (${engine})`, async () => {
    const { server, storage, team, email, verify } = await setUp({ DOCKET_OIDC_ONLY: '1' })
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
    const { headers } = await createTestSession(storage, team, 'owner')
    const invitation = { email: `${newSubject()}@acme.example`, role: 'member' }
    const invited = await owner.send('POST /internal/invitations', invitation, { headers })
    const token = String(invited.body.accept_url).split('/').at(-1)
    const accepted = { token, name: 'Invited', password: TEST_PASSWORD }
    assert.equal(
      describeReply(await owner.send('POST /internal/invitations/accept', accepted, { headers })),
      CLOSED,
    )
    await verify()
    company.become({ sub: newSubject(), email, email_verified: true })
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
    [1, 2, 3].map(() => createCookieClient(server).send(BEGIN_SSO, { purpose: 'sign_in' })),
  )
  assert.deepEqual(all.map(describeReply), Array(3).fill('503 unavailable'))
  assert.equal(all[0]?.headers['retry-after'], '10')
  const stoppedProvider = await startOidcProvider()
  const { server: otherServer } = await openTestDocket('sqlite', {
    ...OIDC,
    DOCKET_OIDC_ISSUER: stoppedProvider.issuer,
  })
  const client = createCookieClient(otherServer)
  const redirect = await client.send(BEGIN_SSO, { purpose: 'sign_in' })
  const callback = await stoppedProvider.visit(String(redirect.body.redirect_to))
  await stoppedProvider.close()
  assert.equal(
    describeReply(await client.send(FINISH_SSO, Object.fromEntries(callback.searchParams))),
    '503 unavailable',
  )
  const { server: serverWithoutSso } = await openTestDocket('sqlite', {})
  assert.equal(
    describeReply(
      await createCookieClient(serverWithoutSso).send(BEGIN_SSO, { purpose: 'sign_in' }),
    ),
    '404 not_found',
  )
  // The metadata of a reachable provider is requested once.
  const before = company.asked.filter((path) => path.includes('well-known')).length
  const { server: otherHome } = await openTestDocket('sqlite', {
    ...OIDC,
    DOCKET_OPERATOR_EMAIL: 'once@example.com',
  })
  for (let time = 0; time < 3; time += 1) {
    assert.equal(
      describeReply(await createCookieClient(otherHome).send(BEGIN_SSO, { purpose: 'sign_in' })),
      '200',
    )
  }
  assert.equal(company.asked.filter((path) => path.includes('well-known')).length, before + 1)
})
