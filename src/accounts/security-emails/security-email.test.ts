import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { timestampOf } from '#lib/clock.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import { OIDC_CLIENT, startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const mail = await startSmtpServer()
const company = await startOidcProvider()
after(() => Promise.all([mail.close(), company.close()]))
const ownDocket = createFreshDockets(
  {
    DOCKET_SMTP_URL: mail.url,
    DOCKET_MAIL_FROM: 'docket@example.com',
    DOCKET_OIDC_ISSUER: company.issuer,
    DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
    DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
  },
  { clock },
)

for (const engine of ENGINES) {
  test(`an email tells of each change of how somebody can sign in (${engine})`, async () => {
    const docket = await ownDocket(engine)
    const { storage, server } = docket
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const client = createCookieClient(server)
    const current_password = TEST_PASSWORD
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const expectNotice = async (sentence: RegExp, to = email) => {
      const notice = await mail.nextNotice()
      assert.match(notice.text, sentence)
      assert.deepEqual(notice.to, [to])
      return notice.text
    }
    const change = async (line: string, body: object, status: string) =>
      assert.equal(describeReply(await client.send(line, body)), status, line)

    const key = { name: 'Nightly', preset: 'full' }
    await change('POST /internal/api-keys', key, '201')
    const text = await expectNotice(/^An API key was created/m)
    assert.match(text, /^Besides your password, these have access: 2 API keys\./m)
    assert.doesNotMatch(text, /The member|Test/)

    const { ask, decide } = createOAuthClient(
      docket,
      team,
      await createTestApplication(docket, team),
    )
    const session = await createTestSession(storage, team, 'member')
    const asked = await ask({ code_challenge: createPkce().challenge }, session)
    assert.equal((await decide(asked.uid, session, asked.cookies)).status, 200)
    await expectNotice(/^An application was authorized to act for your Docket account/m)

    const { codes } = await enrollSecondFactor(client, clock)
    await expectNotice(/^Two-factor authentication was turned on/m)
    const SECOND_FACTOR = 'POST /internal/account/second-factor'
    const proof = () => ({ current_password, code: codes.next() })
    await change(`${SECOND_FACTOR}/recovery-codes`, proof(), '200')
    await expectNotice(/^The recovery codes of your Docket account were replaced/m)
    await change(`${SECOND_FACTOR}/disable`, proof(), '200')
    await expectNotice(/^Two-factor authentication was turned off/m)

    company.become({ sub: `${engine} member`, email, email_verified: true })
    const link = { purpose: 'link', current_password }
    const begun = await client.send('POST /internal/company-sign-in', link)
    const back = await company.visit(String(begun.body.redirect_to))
    const answer = Object.fromEntries(back.searchParams)
    await change('POST /internal/company-sign-in/finish', answer, '200')
    assert.match(
      await expectNotice(/^Single sign-on was linked/m),
      /2 API keys, 1 authorized application, single sign-on\./,
    )
    await change('DELETE /internal/account/company', { current_password }, '204')
    await expectNotice(/^Single sign-on was unlinked/m)

    const password = 'plum cake at night'
    await change('PATCH /internal/account', { password, current_password }, '200')
    await expectNotice(/^The password of your Docket account was changed/m)
    // The emails about a new address go to the old one.
    const address = { email: `new.${email}`, current_password: password }
    await change('PATCH /internal/account', address, '200')
    await expectNotice(/^Another email address was entered for your Docket account/m)
    const confirmation = /\/confirm-email\/([\w-]{43})$/m.exec((await mail.next()).text)?.[1]
    await change('POST /internal/account/email-confirmation', { token: confirmation }, '200')
    await expectNotice(/^Your Docket account now has another email address/m)

    await client.send('POST /internal/password-resets', { email: address.email })
    const token = /\/reset\/([\w-]{43})$/m.exec((await mail.next()).text)?.[1]
    await change('POST /internal/password-resets/accept', { token, password }, '201')
    await expectNotice(/^The password of your Docket account was reset/m, address.email)

    // Eleven were sent. Of the next twenty, nine are, and then none until the next day.
    for (let n = 0; n < 20; n += 1) await change('POST /internal/api-keys', key, '201')
    for (let n = 0; n < 9; n += 1) await expectNotice(/^An API key was created/m, address.email)
    clock.advance(25 * 60 * 60_000)
    const nextDay = new RegExp(`^When: ${timestampOf(clock.now()).slice(0, 13)}`, 'm')
    const present = { current_password: password }
    await change('POST /internal/session/confirmation', present, '204')
    await change('POST /internal/api-keys', key, '201')
    await expectNotice(nextDay, address.email)
    clock.advance(-25 * 60 * 60_000)
  })
}
