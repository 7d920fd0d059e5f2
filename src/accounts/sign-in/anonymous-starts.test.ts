import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { purgeExpiredRows } from '#jobs/purges.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { OIDC_CLIENT, startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import {
  createCookieClient,
  describeReply,
  newClientAddress,
} from '#test/support/world/cookie-client.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const clock = createTestClock()
const company = await startOidcProvider()
after(() => company.close())
const MINUTE_MS = 60_000
const LIMIT = 5
const PASSKEY_SITE = 'http://localhost:4000'
const COMPANY_SITE = 'http://127.0.0.1:4000'
const OIDC = {
  DOCKET_OIDC_ISSUER: company.issuer,
  DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
}
const withLimit = { clock, unauthenticatedLimit: LIMIT }
const passkeyDocket = createFreshDockets({ DOCKET_BASE_URL: PASSKEY_SITE }, { clock })
const companyDocket = createFreshDockets(OIDC, { clock })
const limitedPasskeyDocket = createFreshDockets({ DOCKET_BASE_URL: PASSKEY_SITE }, withLimit)
const limitedCompanyDocket = createFreshDockets(OIDC, withLimit)
const CHALLENGE = 'POST /internal/session/passkey/challenge'
const ENTER = 'POST /internal/session/passkey'
const BEGIN = 'POST /internal/company-sign-in'
const FINISH = 'POST /internal/company-sign-in/finish'
const OVER = '401 sign_in_over'

type Browser = ReturnType<typeof createCookieClient>

const countSteps = async (storage: Storage): Promise<number> => {
  const row = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(stepCount, {}))
  return Number(row?.count)
}

const countSessions = async (client: Browser): Promise<number> =>
  ((await client.send('GET /internal/sessions')).body.data as unknown[]).length

for (const engine of ENGINES) {
  const setUpPasskey = async (
    open: (engine: DatabaseEngine) => ReturnType<typeof passkeyDocket>,
  ) => {
    const { storage, server } = await open(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const fresh = () => createCookieClient(server, PASSKEY_SITE)
    const client = fresh()
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    return { storage, server, team, email, client, fresh }
  }
  const registerPasskey = async (client: Browser) => {
    const key = createSoftwareAuthenticator()
    const password = { current_password: TEST_PASSWORD }
    const begun = await client.send('POST /internal/account/passkeys/challenge', password)
    const made = key.make({ challenge: String(begun.body.challenge) })
    const reply = await client.send('POST /internal/account/passkeys', { name: 'Key', ...made })
    assert.equal(describeReply(reply), '201')
    return key
  }
  const getChallenge = async (client: Browser) =>
    String((await client.send(CHALLENGE, {})).body.challenge)

  test(`starts of a sign-in store nothing (${engine})`, async () => {
    const { storage, client, fresh } = await setUpPasskey(passkeyDocket)
    const key = await registerPasskey(client)
    const before = await countSteps(storage)
    for (let n = 0; n < 5; n += 1)
      assert.equal(describeReply(await fresh().send(CHALLENGE, {})), '200')
    const stranger = fresh()
    const challenge = await getChallenge(stranger)
    const foreign = createSoftwareAuthenticator().show({ challenge })
    assert.equal(describeReply(await stranger.send(ENTER, foreign)), '401 invalid_credentials')
    assert.equal(await countSteps(storage), before)
    assert.equal(describeReply(await stranger.send(ENTER, key.show({ challenge }))), '201')
    assert.equal(await countSteps(storage), before + 1, 'a completed sign-in is recorded')
    clock.advance(15 * MINUTE_MS)
    while (await purgeExpiredRows(storage)());
    assert.equal(await countSteps(storage), 0)

    const { storage: other, server } = await companyDocket(engine)
    for (let n = 0; n < 5; n += 1) {
      const visitor = createCookieClient(server, COMPANY_SITE)
      assert.equal(describeReply(await visitor.send(BEGIN, { purpose: 'sign_in' })), '200')
      const made_up = { code: 'made-up', state: 'made-up' }
      assert.equal(describeReply(await visitor.send(FINISH, made_up)), '401 company_sign_in_failed')
    }
    assert.equal(await countSteps(other), 0)
  })

  test(`starts of a sign-in count against the limit of the address (${engine})`, async () => {
    const { team, client, fresh } = await setUpPasskey(limitedPasskeyDocket)
    const { server: companyServer } = await limitedCompanyDocket(engine)
    const starts: [Browser, string, object][] = [
      [fresh(), CHALLENGE, {}],
      [createCookieClient(companyServer, COMPANY_SITE), BEGIN, { purpose: 'sign_in' }],
    ]
    for (const [visitor, line, body] of starts) {
      const remoteAddress = newClientAddress()
      const replies = await Promise.all(
        Array.from({ length: 2 * LIMIT + 2 }, () => visitor.send(line, body, { remoteAddress })),
      )
      const refused = replies.filter(({ status }) => status !== 200)
      // A new minute may begin meanwhile, with a new limit.
      assert.ok(refused.length >= 2 && refused.length <= LIMIT + 2, `${refused.length} of ${line}`)
      for (const reply of refused) {
        assert.equal(describeReply(reply), '429 too_many_unauthenticated_requests')
        assert.match(reply.headers['retry-after'] ?? '', /^([1-9]|[1-5]\d|60)$/)
        assert.equal(reply.headers['x-ratelimit-limit'], undefined)
        assert.equal(reply.headers['set-cookie'], undefined)
      }
      assert.equal(describeReply(await visitor.send(line, body)), '200', 'from another address')
    }
    // A person who is signed in is never refused for their address, and neither is a valid key.
    const remoteAddress = newClientAddress()
    for (let n = 0; n < 2 * LIMIT + 2; n += 1) {
      assert.equal(describeReply(await client.send(CHALLENGE, {}, { remoteAddress })), '200')
    }
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const withKey = await fresh().send('GET /api/v1/projects', undefined, {
      headers,
      remoteAddress,
    })
    assert.equal(withKey.status, 200)
  })

  test(`a passkey challenge is valid once, for ten minutes, and only as it was sent (${engine})`, async () => {
    const { client, fresh } = await setUpPasskey(passkeyDocket)
    const key = await registerPasskey(client)
    const visitor = fresh()
    const shown = key.show({ challenge: await getChallenge(visitor) })
    const cookies = [...visitor.jar]
    const [name = '', value = ''] = cookies.find(([cookie]) => cookie.endsWith('passkey')) ?? []
    const both = await Promise.all([visitor.send(ENTER, shown), visitor.send(ENTER, shown)])
    assert.deepEqual(both.map(describeReply).toSorted(), ['201', OVER])
    const sessions = await countSessions(client)
    for (const replayed of [fresh(), visitor]) {
      replayed.jar.clear()
      for (const [cookie, text] of cookies) replayed.jar.set(cookie, text)
      assert.equal(describeReply(await replayed.send(ENTER, shown)), OVER)
      assert.ok(!replayed.jar.has('docket_session'))
    }
    assert.equal(await countSessions(client), sessions)
    const middle = value.length / 2
    const changed =
      value.slice(0, middle) + (value[middle] === 'A' ? 'B' : 'A') + value.slice(middle + 1)
    for (const cookie of [changed, value.slice(0, 20), '', 'A'.repeat(43)]) {
      const forger = fresh()
      forger.jar.set(name, cookie)
      assert.equal(describeReply(await forger.send(ENTER, shown)), OVER, cookie)
    }
    // The challenge of a registration is not one of a sign-in.
    const password = { current_password: TEST_PASSWORD }
    const begun = await client.send('POST /internal/account/passkeys/challenge', password)
    const own = key.show({ challenge: String(begun.body.challenge) })
    assert.equal(describeReply(await client.send(ENTER, own)), OVER)
    const late = fresh()
    const lateAnswer = key.show({ challenge: await getChallenge(late) })
    clock.advance(10 * MINUTE_MS)
    assert.equal(describeReply(await late.send(ENTER, lateAnswer)), OVER)
  })

  test(`a start at the company's provider is completed once (${engine})`, async () => {
    const { storage, server } = await companyDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(markVerified, { id: team.people.member }))
    company.become({ sub: `once-${engine}-${process.pid}`, email, email_verified: true })
    const visitor = createCookieClient(server, COMPANY_SITE)
    const begun = await visitor.send(BEGIN, { purpose: 'sign_in' })
    const cookies = [...visitor.jar]
    // Both answers have a code of their own for the same state and nonce.
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        const { searchParams } = await company.visit(String(begun.body.redirect_to))
        return Object.fromEntries(searchParams)
      }),
    )
    assert.notEqual(first?.code, second?.code)
    assert.equal(describeReply(await visitor.send(FINISH, first)), '200')
    const replayed = createCookieClient(server, COMPANY_SITE)
    for (const [cookie, text] of cookies) replayed.jar.set(cookie, text)
    assert.equal(describeReply(await replayed.send(FINISH, second)), OVER)
    assert.ok(!replayed.jar.has('docket_session'))
    assert.equal(await countSessions(visitor), 1)
  })
}

const stepCount = unscopedQuery((db) =>
  db.selectFrom('sign_in_steps').select((is) => is.fn.countAll().as('count')),
)

const markVerified = unscopedCommand((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)
