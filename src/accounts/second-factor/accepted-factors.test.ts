import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clearSecondFactors } from '#auth/second-factor/second-factor.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  BOOT,
  FACTOR_MISSING,
  openWorkspaceWithPolicy,
  POLICY,
  POLICY_SITE,
} from '#test/support/world/second-factor-policy.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { createOidcSettings } from '#test/support/world/sso-workspace.ts'
import { TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createTotpApp, enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const company = await startOidcProvider()
after(() => company.close())

type PolicyBrowser = ReturnType<typeof createCookieClient>

for (const engine of ENGINES) {
  const setUpWithPolicy = (env?: Record<string, string>) =>
    openWorkspaceWithPolicy(engine, clock, env)
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

  test(`a passkey counts as second factor only in sessions that were started with it (${engine})`, async () => {
    const { enter, server } = await setUpWithPolicy()
    const { one } = await enter('member')
    const key = createSoftwareAuthenticator()
    const made = await makePasskey(one, key)
    assert.equal(describeReply(made), '201')
    assert.equal(describeReply(await one.send(BOOT)), '200')
    const { one: byPassword } = await enter('member')
    assert.equal(describeReply(await byPassword.send(BOOT)), FACTOR_MISSING)
    const byKey = createCookieClient(server, POLICY_SITE)
    const asked = await byKey.send('POST /internal/session/passkey/challenge', {})
    const shown = key.show({ challenge: String(asked.body.challenge) })
    assert.equal(describeReply(await byKey.send('POST /internal/session/passkey', shown)), '201')
    assert.equal(describeReply(await byKey.send(BOOT)), '200')
    const { id } = made.body as { id: string }
    const removed = await byKey.send(`DELETE /internal/account/passkeys/${id}`, {
      current_password: TEST_PASSWORD,
    })
    assert.equal(describeReply(removed), '204')
    assert.equal(describeReply(await byKey.send(BOOT)), FACTOR_MISSING)
  })

  test(`a session without the existing second factor cannot set up another (${engine})`, async () => {
    const { enter, storage, team, setPolicy, server } = await setUpWithPolicy()
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
      addMember(tx, { user_id: team.people.member, name: 'M', role: 'member' }),
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
      describeReply(await createCookieClient(server, POLICY_SITE).send(BOOT)),
      '401 authentication_required',
    )
  })

  test(`clearing the second factor removes passkeys if there is no TOTP (${engine})`, async () => {
    const { enter, storage, team } = await setUpWithPolicy()
    const { one } = await enter('member')
    assert.equal(describeReply(await makePasskey(one, createSoftwareAuthenticator())), '201')
    const clear = () =>
      storage.write(ANONYMOUS_ACTOR, (tx) => clearSecondFactors(tx, team.people.member))
    assert.deepEqual([await clear(), await clear()], [true, false])
    const { one: again } = await enter('member')
    assert.equal(describeReply(await again.send(BOOT)), FACTOR_MISSING)
    await enrollSecondFactor(again, clock)
    assert.equal(describeReply(await again.send(BOOT)), '200')
  })

  test(`SSO sessions need no second factor (${engine})`, async () => {
    const { enter, server, owner } = await setUpWithPolicy(createOidcSettings(company))
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
    assert.equal(describeReply(await one.send(BOOT)), FACTOR_MISSING)
    const byCompany = createCookieClient(server, POLICY_SITE)
    assert.equal(await signInWithSso(byCompany, { purpose: 'sign_in' }), '200')
    assert.equal(describeReply(await byCompany.send(BOOT)), '200')
    assert.equal((await owner.send(`GET ${POLICY}`)).body.without, 2)
  })
}
