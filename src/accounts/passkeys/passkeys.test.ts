import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { changeSecondFactorPolicy } from '#auth/second-factor/second-factor.ts'
import { countUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const mail = await startSmtpServer()
after(() => mail.close())
const SITE = 'http://localhost:4000'
const env = {
  DOCKET_BASE_URL: SITE,
  DOCKET_PORT: '4000',
  DOCKET_SMTP_URL: mail.url,
  DOCKET_MAIL_FROM: 'docket@example.com',
}
/** Separate databases, because tests that share one would take each other's emails. */
const ownDocket = createFreshDockets(env, { clock })
const ASK = 'POST /internal/session/passkey/challenge'
const ENTER = 'POST /internal/session/passkey'
const WRONG = '401 invalid_credentials'
const OVER = '401 sign_in_over'

type PasskeyBrowser = ReturnType<typeof createCookieClient>

const seenTokens = new Set<string>()

/**
 * The token of the next password reset email. Delivery is at least once, so duplicates are
 * skipped.
 */
async function nextToken(email: string): Promise<string> {
  for (;;) {
    const { to, text } = await mail.next()
    const token = /\/reset\/([\w-]{43})$/m.exec(text)?.[1]
    if (token === undefined || !to.includes(email) || seenTokens.has(token)) continue
    seenTokens.add(token)
    return token
  }
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await ownDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const fresh = () => createCookieClient(server, SITE)
    const client = fresh()
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    return { storage, server, team, email, client, fresh }
  }
  const getChallenge = async (client: PasskeyBrowser, line = ASK, body: object = {}) =>
    String((await client.send(line, body)).body.challenge)
  const beginRegistration = (client: PasskeyBrowser) =>
    getChallenge(client, 'POST /internal/account/passkeys/challenge', {
      current_password: TEST_PASSWORD,
    })
  const registerPasskey = (client: PasskeyBrowser, made: object) =>
    client.send('POST /internal/account/passkeys', { name: 'Laptop', ...made })

  test(`signs in with a passkey without a TOTP code (${engine})`, async () => {
    const { team, email, client, fresh } = await setUp()
    await enrollSecondFactor(client, clock)
    const key = createSoftwareAuthenticator()
    const expectNotice = async (sentence: RegExp) => {
      for (;;) {
        const { to, text } = await mail.nextNotice()
        if (to.includes(email) && sentence.test(text)) return
      }
    }
    const created = await registerPasskey(
      client,
      key.make({ challenge: await beginRegistration(client) }),
    )
    assert.equal(describeReply(created), '201')
    await expectNotice(/^A passkey was added to your Docket account/m)
    const twice = await registerPasskey(
      client,
      key.make({ challenge: await beginRegistration(client) }),
    )
    assert.equal(describeReply(twice), '422 validation_failed')
    const other = fresh()
    const entered = await other.send(ENTER, key.show({ challenge: await getChallenge(other) }))
    assert.equal(describeReply(entered), '201')
    assert.equal((entered.body.user as { id: string }).id, team.people.member)
    assert.deepEqual([...other.jar.keys()].toSorted(), ['docket_device', 'docket_session'])
    const devices = (await other.send('GET /internal/sessions')).body.data as { current: boolean }[]
    const here = devices.find(({ current }) => current) ?? {}
    assert.partialDeepStrictEqual(here, { signed_in_by: 'passkey', two_factors: true } as object)
    const means = await other.send('GET /internal/account/sign-in')
    const [shown] = means.body.passkeys as { id: string; name: string; last_used_at: string }[]
    assert.equal(shown?.name, 'Laptop')
    assert.match(shown?.last_used_at ?? '', /^20/)
    const remove = (body: object) =>
      other.send(`DELETE /internal/account/passkeys/${shown?.id}`, body)
    assert.equal(describeReply(await remove({})), '422 validation_failed')
    const wrong = { current_password: 'not the password' }
    assert.equal(describeReply(await remove(wrong)), '422 validation_failed')
    assert.equal(describeReply(await remove({ current_password: TEST_PASSWORD })), '204')
    await expectNotice(/^A passkey was removed from your Docket account/m)
    const lateClient = fresh()
    assert.equal(
      describeReply(
        await lateClient.send(ENTER, key.show({ challenge: await getChallenge(lateClient) })),
      ),
      WRONG,
    )
  })

  test(`rejects passkeys with a wrong origin, site or challenge, or without user verification (${engine})`, async () => {
    const { client, fresh } = await setUp()
    const key = createSoftwareAuthenticator()
    for (const change of [
      { origin: 'https://evil.example' },
      { site: 'evil.example' },
      { unverified: true },
    ]) {
      const made = key.make({ challenge: await beginRegistration(client), ...change })
      assert.equal(
        describeReply(await registerPasskey(client, made)),
        '422 validation_failed',
        JSON.stringify(change),
      )
    }
    const made = key.make({ challenge: await beginRegistration(client) })
    assert.equal(describeReply(await registerPasskey(client, made)), '201')
    // The challenge has been consumed.
    assert.equal(
      describeReply(
        await registerPasskey(client, createSoftwareAuthenticator().make({ challenge: 'x' })),
      ),
      OVER,
    )
    const trySignIn = async (change: object) => {
      const visitor = fresh()
      const shown = key.show({ challenge: await getChallenge(visitor), ...change })
      return describeReply(await visitor.send(ENTER, shown))
    }
    assert.equal(await trySignIn({}), '201')
    assert.equal(await trySignIn({ origin: 'https://evil.example' }), WRONG)
    assert.equal(await trySignIn({ origin: 'http://127.0.0.1:4000' }), WRONG)
    assert.equal(await trySignIn({ site: 'evil.example' }), WRONG)
    assert.equal(await trySignIn({ unverified: true }), WRONG)
    assert.equal(await trySignIn({ challenge: 'another-challenge' }), WRONG)
    const visitor = fresh()
    const shown = key.show({ challenge: await getChallenge(visitor) })
    // A challenge is valid in one browser only, and only once.
    const otherBrowser = fresh()
    await getChallenge(otherBrowser)
    assert.equal(describeReply(await otherBrowser.send(ENTER, shown)), WRONG)
    assert.equal(describeReply(await fresh().send(ENTER, shown)), OVER)
    assert.equal(describeReply(await visitor.send(ENTER, shown)), '201')
    assert.equal(describeReply(await visitor.send(ENTER, shown)), OVER)
    // An unknown passkey, and a known credential id with another key.
    const stranger = fresh()
    assert.equal(
      describeReply(
        await stranger.send(
          ENTER,
          createSoftwareAuthenticator().show({ challenge: await getChallenge(stranger) }),
        ),
      ),
      WRONG,
    )
    const forged = {
      ...createSoftwareAuthenticator().show({ challenge: await getChallenge(stranger) }),
      id: key.id,
    }
    assert.equal(describeReply(await stranger.send(ENTER, forged)), WRONG)
  })

  test(`rejects a passkey whose signature counter does not increase (${engine})`, async () => {
    const { client, fresh } = await setUp()
    const key = createSoftwareAuthenticator()
    key.count(7)
    assert.equal(
      describeReply(
        await registerPasskey(client, key.make({ challenge: await beginRegistration(client) })),
      ),
      '201',
    )
    const trySignIn = async (count: number) => {
      key.count(count)
      const visitor = fresh()
      return describeReply(
        await visitor.send(ENTER, key.show({ challenge: await getChallenge(visitor) })),
      )
    }
    assert.deepEqual(
      [await trySignIn(8), await trySignIn(8), await trySignIn(3), await trySignIn(9)],
      ['201', WRONG, WRONG, '201'],
    )
  })

  test(`where a second factor is required, even the first password reset keeps passkeys (${engine})`, async () => {
    const { client, email, fresh, team, storage } = await setUp()
    const key = createSoftwareAuthenticator()
    await registerPasskey(client, key.make({ challenge: await beginRegistration(client) }))
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
      changeSecondFactorPolicy(tx, 'required'),
    )
    await fresh().send('POST /internal/password-resets', { email })
    const body = { token: await nextToken(email), password: TEST_PASSWORD }
    const accepted = await fresh().send('POST /internal/password-resets/accept', body)
    assert.equal(describeReply(accepted), '201')
    const visitor = fresh()
    const shown = key.show({ challenge: await getChallenge(visitor) })
    assert.equal(describeReply(await visitor.send(ENTER, shown)), '201')
  })

  test(`the first password reset removes passkeys from before the address was verified (${engine})`, async () => {
    const { client, email, fresh, team, storage } = await setUp()
    const key = createSoftwareAuthenticator()
    const reset = async (more: object = {}) => {
      await fresh().send('POST /internal/password-resets', { email })
      const token = await nextToken(email)
      const body = { token, password: TEST_PASSWORD, ...more }
      assert.equal(
        describeReply(await client.send('POST /internal/password-resets/accept', body)),
        '201',
      )
    }
    const trySignIn = async () => {
      const visitor = fresh()
      return describeReply(
        await visitor.send(ENTER, key.show({ challenge: await getChallenge(visitor) })),
      )
    }
    assert.equal(
      describeReply(
        await registerPasskey(client, key.make({ challenge: await beginRegistration(client) })),
      ),
      '201',
    )
    await reset()
    assert.equal(await trySignIn(), WRONG)
    assert.equal(
      describeReply(
        await registerPasskey(client, key.make({ challenge: await beginRegistration(client) })),
      ),
      '201',
    )
    await reset()
    assert.equal(await trySignIn(), '201')

    // A reset ends everything else that can act for the user if they choose so. Where a second
    // factor is required, the mailbox alone does not suffice to replace the passkey.
    const workspace = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const { api_key } = await storage.write(workspace, (tx) =>
      createApiKey(tx, { user_id: team.people.member, name: 'K', scopes: [], expires_at: null }),
    )
    const bearer = { headers: { authorization: `Bearer ${api_key}` } }
    const sendWithKey = async () =>
      describeReply(await fresh().send('GET /api/v1/me', undefined, bearer))
    assert.equal(await sendWithKey(), '200')
    const setPolicy = (policy: 'required' | 'optional') =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
        changeSecondFactorPolicy(tx, policy),
      )
    const { id: application_id } = await createTestApplication({ storage }, team)
    const grant = { in_workspace: team.workspace, user_id: team.people.member, application_id }
    await storage.write(ANONYMOUS_ACTOR, (tx) => insertTestGrant(tx, grant))
    const countAccess = () =>
      storage.read(ANONYMOUS_ACTOR, (tx) => countUserAccess(tx, team.people.member))
    assert.deepEqual(await countAccess(), { api_keys: 1, grants: 1 })
    await setPolicy('required')
    await reset({ revoke_access: true })
    assert.deepEqual([await sendWithKey(), await trySignIn()], ['401 invalid_token', '201'])
    assert.deepEqual(await countAccess(), { api_keys: 0, grants: 0 })
    await setPolicy('optional')
    await reset({ revoke_access: true })
    assert.equal(await trySignIn(), WRONG)
  })
}

test('passkeys are not available if the host is an IP address', async () => {
  const { server } = await openTestDocket('sqlite')
  assert.equal(describeReply(await createCookieClient(server).send(ASK, {})), '404 not_found')
  const setup = await createCookieClient(server).send('GET /internal/setup')
  assert.equal(setup.body.passkeys, false)
})
