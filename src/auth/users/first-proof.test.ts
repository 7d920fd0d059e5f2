import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addPasskey } from '#auth/passkeys/passkeys.ts'
import { changeSecondFactorPolicy, hasSecondFactor } from '#auth/second-factor/second-factor.ts'
import { markEmailVerified } from '#auth/users/accounts.ts'
import { countUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  createOidcSettings,
  createSsoSteps,
  newSubject,
} from '#test/support/world/sso-workspace.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const mail = await startSmtpServer()
const company = await startOidcProvider()
after(() => Promise.all([mail.close(), company.close()]))
const { signInWithSso } = createSsoSteps(company)
const ownDocket = createFreshDockets(
  {
    ...createOidcSettings(company),
    DOCKET_SMTP_URL: mail.url,
    DOCKET_MAIL_FROM: 'docket@example.com',
    DOCKET_SIGNUP: 'open',
  },
  { clock },
)
const NEW_PASSWORD = 'plum cake at night'

for (const engine of ENGINES) {
  /** Somebody signs up with the address of another person and sets up whatever there is. */
  const squat = async () => {
    const { storage, server } = await ownDocket(engine)
    const browser = () => createCookieClient(server)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const user_id = team.people.member
    const squatter = browser()
    await squatter.send('POST /internal/session', { email, password: TEST_PASSWORD })
    await enrollSecondFactor(squatter, clock)
    const key = await squatter.send('POST /internal/api-keys', { name: 'K', preset: 'full' })
    const { id: application_id } = await createTestApplication({ storage }, team)
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await insertTestGrant(tx, { in_workspace: team.workspace, user_id, application_id })
      await addPasskey(tx, {
        user_id,
        credential: email,
        public_key: 'p',
        counter: 0,
        transports: '[]',
        name: 'L',
      })
    })
    const state = () =>
      storage.read(ANONYMOUS_ACTOR, async (tx) => ({
        factor: await hasSecondFactor(tx, user_id),
        ...(await countUserAccess(tx, user_id)),
      }))
    const api_key = String(key.body.api_key)
    return { storage, browser, team, email, user_id, squatter, api_key, state }
  }

  /** Somebody signs up with the address of another person, and gets a workspace. */
  const squatWorkspace = async () => {
    const { storage, server } = await ownDocket(engine)
    const squatter = createCookieClient(server)
    const email = `victim.${newSubject()}@example.com`
    const account = {
      email,
      password: TEST_PASSWORD,
      name: 'Free money',
      workspace_name: 'At evil',
    }
    const signedUp = await squatter.send('POST /internal/signup', account)
    assert.equal(describeReply(signedUp), '201')
    const { id } = Object(signedUp.body.user)
    return { storage, server, squatter, email, user_id: String(id) }
  }

  const resetByLink = async (browser: ReturnType<typeof createCookieClient>, email: string) => {
    await browser.send('POST /internal/password-resets', { email })
    for (;;) {
      const { to, text } = await mail.next()
      const token = /\/reset\/([\w-]{43})$/m.exec(text)?.[1]
      if (token === undefined || !to.includes(email)) continue
      const body = { token, password: NEW_PASSWORD }
      return browser.send('POST /internal/password-resets/accept', body)
    }
  }
  const signInByCompany = async (browser: ReturnType<typeof createCookieClient>, email: string) => {
    company.become({ sub: newSubject(), email, email_verified: true })
    return signInWithSso(browser)
  }

  for (const [proof, show] of Object.entries({ resetByLink, signInByCompany })) {
    test(`the first proof of a mailbox ends what a squatter has set up: ${proof} (${engine})`, async () => {
      const { browser, email, squatter, api_key, state } = await squat()
      assert.deepEqual(await state(), { factor: true, api_keys: 2, grants: 1 })
      const owner = browser()
      const entered = await show(owner, email)
      assert.ok([200, 201].includes(entered.status), describeReply(entered))
      assert.deepEqual(await state(), { factor: false, api_keys: 0, grants: 0 })
      const { body: methods } = await owner.send('GET /internal/account/sign-in')
      assert.deepEqual(methods.passkeys, [])
      assert.equal(Object(methods.email).confirmed, true)
      const ended = '401 authentication_required'
      assert.equal(describeReply(await squatter.send('GET /internal/session')), ended)
      const headers = { authorization: `Bearer ${api_key}` }
      const byKey = await browser().send('GET /api/v1/me', undefined, { headers })
      assert.equal(describeReply(byKey), '401 invalid_token')
      const again = { email, password: TEST_PASSWORD }
      const refused = await browser().send('POST /internal/session', again)
      assert.equal(describeReply(refused), '401 invalid_credentials')
    })
  }

  test(`a mailbox that was proved before does not replace a second factor (${engine})`, async () => {
    const { storage, browser, email, user_id, state } = await squat()
    await storage.write(ANONYMOUS_ACTOR, (tx) => markEmailVerified(tx, user_id))
    assert.equal(describeReply(await resetByLink(browser(), email)), '401 second_factor_required')
    assert.deepEqual(await state(), { factor: true, api_keys: 2, grants: 1 })
  })

  test(`the policy of a workspace with other members keeps the second factor (${engine})`, async () => {
    const { storage, browser, team, email, state } = await squat()
    const there = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    await storage.write(there, (tx) => changeSecondFactorPolicy(tx, 'required'))
    assert.equal(describeReply(await resetByLink(browser(), email)), '401 second_factor_required')
    assert.deepEqual(await state(), { factor: true, api_keys: 0, grants: 0 })
  })

  test(`the policy of a squatter's own workspace locks nobody out (${engine})`, async () => {
    const { storage, server, squatter, email, user_id } = await squatWorkspace()
    // The address gets a link, and nothing that the squatter has written.
    const first = await mail.next()
    assert.deepEqual(first.to, [email])
    assert.doesNotMatch(first.text, /Free money|At evil/)
    await enrollSecondFactor(squatter, clock)
    const policy = { second_factor: 'required' }
    const demanded = await squatter.send('PATCH /internal/workspace/sign-in', policy)
    assert.equal(describeReply(demanded), '200')
    const owner = createCookieClient(server)
    assert.equal(describeReply(await resetByLink(owner, email)), '201')
    const factor = await storage.read(ANONYMOUS_ACTOR, (tx) => hasSecondFactor(tx, user_id))
    assert.equal(factor, false)
  })

  test(`the first proof of a mailbox ends the webhooks of a squatter (${engine})`, async () => {
    const { server, squatter, email } = await squatWorkspace()
    const hook = { url: 'https://evil.example/', events: ['task.created'] }
    const made = await squatter.send('POST /api/v1/webhooks', hook)
    assert.equal(describeReply(made), '201')
    const owner = createCookieClient(server)
    assert.equal(describeReply(await resetByLink(owner, email)), '201')
    let notice = await mail.nextNotice()
    while (!notice.to.includes(email)) notice = await mail.nextNotice()
    assert.match(notice.text, /For the first time .* webhooks and invitations .* have ended/s)
    const { body } = await owner.send('GET /api/v1/webhooks')
    assert.deepEqual(body.data, [])
    const audit = await owner.send('GET /internal/audit?action=webhook.deleted')
    const subjects = (audit.body.data as { subject_id: string }[]).map((one) => one.subject_id)
    assert.deepEqual(subjects, [made.body.id])
  })
}
