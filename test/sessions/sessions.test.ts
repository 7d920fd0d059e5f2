import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Storage } from '#core/transaction.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createCookieClient, describeReply } from '../support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import {
  countPasswordHashes,
  createChangeCountingServer,
  sendForgedRequests,
} from './forged-requests.ts'

/** Returns sessions, each person's for some requests only: they may send 600 a minute. */
function createSessionSource(storage: Storage) {
  let team: TestWorkspace | undefined
  let count = 0
  return async () => {
    if (count % 30 === 0) team = await createTestWorkspace(storage)
    count += 1
    return createTestSession(storage, team ?? assert.fail(), 'owner')
  }
}

for (const engine of ENGINES) {
  test(`checks ten of fifty concurrent password guesses, and locks nobody else out (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine, {}, { clock: createTestClock() })
    const team = await createTestWorkspace(storage)
    const [victim, other] = [
      await setTestPassword(storage, team, 'member'),
      await setTestPassword(storage, team, 'admin'),
    ]
    const signIn = (
      who: ReturnType<typeof createCookieClient>,
      email: string,
      password = TEST_PASSWORD,
    ) => who.send('POST /internal/session', { email, password })
    const [knownBrowser, unknownBrowser] = [createCookieClient(server), createCookieClient(server)]
    assert.equal((await signIn(knownBrowser, victim)).status, 201)
    const signedIn = await createTestSession(storage, team, 'member')

    const guesses = Array.from({ length: 50 }, (_, at) =>
      signIn(createCookieClient(server), victim, `guess number ${at}`),
    )
    const outcomes = (await Promise.all(guesses)).map(describeReply)
    const count = (how: string) => outcomes.filter((one) => one === how).length
    assert.deepEqual([count('401 invalid_credentials'), count('429 too_many_attempts')], [10, 40])

    const limited = await signIn(unknownBrowser, victim)
    assert.equal(describeReply(limited), '429 too_many_attempts')
    assert.equal(limited.headers['retry-after'], '900')
    assert.equal(limited.headers['set-cookie'], undefined)
    // Others at the same address, the victim's known browser, its key and its session still work.
    assert.equal(describeReply(await signIn(unknownBrowser, other)), '201')
    await knownBrowser.send('DELETE /internal/session')
    assert.equal(describeReply(await signIn(knownBrowser, victim)), '201')
    const url = '/api/v1/me'
    const authorization = `Bearer ${team.keys.member}`
    assert.equal((await server.inject({ url, headers: { authorization } })).statusCode, 200)
    assert.equal((await server.inject({ url, headers: signedIn.headers })).statusCode, 200)
    // A device cookie of another account does not count, and neither does a forged one.
    assert.equal(describeReply(await signIn(unknownBrowser, victim)), '429 too_many_attempts')
    const device = knownBrowser.jar.get('docket_device') ?? ''
    const thief = createCookieClient(server)
    const forged = device.replace(/.(?=.$)/, (char) => (char === 'x' ? 'y' : 'x'))
    thief.jar.set('docket_device', forged)
    assert.equal(describeReply(await signIn(thief, victim)), '429 too_many_attempts')
    // The known browser has a limit of its own.
    for (let failed = 0; failed < 10; failed += 1) await signIn(knownBrowser, victim, 'not the one')
    assert.equal(describeReply(await signIn(knownBrowser, victim)), '429 too_many_attempts')
  })

  test(`who has collected device tokens with a former password guesses the next one no faster (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const browsers = Array.from({ length: 6 }, () => createCookieClient(server))
    const signIn = async (browser: (typeof browsers)[number], password: string) =>
      describeReply(await browser.send('POST /internal/session', { email, password }))
    for (const browser of browsers) assert.equal(await signIn(browser, TEST_PASSWORD), '201')
    const guesses = browsers.flatMap((browser) =>
      Array.from({ length: 8 }, (_, at) => signIn(browser, `guess number ${at}`)),
    )
    const outcomes = await Promise.all(guesses)
    assert.equal(outcomes.filter((one) => one === '401 invalid_credentials').length, 30)
    assert.equal(outcomes.filter((one) => one === '429 too_many_attempts').length, 18)
    // Browsers that nobody knows have a count of their own.
    assert.equal(await signIn(createCookieClient(server), TEST_PASSWORD), '201')
  })

  test(`limits guesses of the current password in account changes (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    await setTestPassword(storage, team, 'member')
    const { headers } = await createTestSession(storage, team, 'member')
    const guess = (current_password: string) =>
      createCookieClient(server).send(
        'PATCH /internal/account',
        { email: 'mallory@example.com', current_password },
        { headers },
      )
    const guesses = Array.from({ length: 20 }, (_, at) => guess(`guess number ${at}`))
    const outcomes = (await Promise.all(guesses)).map(describeReply)
    assert.equal(outcomes.filter((one) => one === '422 validation_failed').length, 10)
    assert.equal(describeReply(await guess(TEST_PASSWORD)), '429 too_many_attempts')
  })

  test(`accepts no planted or made-up session (session fixation) (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const planted = randomBytes(32).toString('base64url')
    const guestSession = await createTestSession(storage, team, 'guest')
    for (const value of [planted, guestSession.value]) {
      const victim = createCookieClient(server)
      victim.jar.set('docket_session', value)
      await victim.send('POST /internal/session', { email, password: TEST_PASSWORD })
      assert.notEqual(victim.jar.get('docket_session'), value)
      assert.equal(describeReply(await victim.send('GET /internal/session')), '200')
      const thief = createCookieClient(server)
      thief.jar.set('docket_session', value)
      assert.equal(
        describeReply(await thief.send('GET /internal/session')),
        '401 authentication_required',
      )
    }
    const made = [
      planted.slice(1),
      `${planted}x`,
      '',
      "' or 1=1 --",
      '\u00e9'.repeat(43),
      team.keys.owner,
    ]
    for (const value of made) {
      const headers = { cookie: `docket_session=${value}` }
      const reply = await server.inject({ url: '/internal/session', headers })
      assert.equal(reply.statusCode, 401, value)
    }
  })
}

test('refuses writes from other origins on every endpoint (CSRF)', async () => {
  const served = await openTestDocket('sqlite')
  const { server, seen } = await createChangeCountingServer(served)
  const session = createSessionSource(served.storage)
  assert.deepEqual(await sendForgedRequests(server, session, () => seen.changes), [])
  await server.close()
})

test('limits the sessions of a person in a workspace to 600 requests a minute, and nobody else', async () => {
  const { storage, server } = await openTestDocket('sqlite', {}, { clock: createTestClock() })
  const team = await createTestWorkspace(storage)
  const one = await createTestSession(storage, team, 'owner')
  const again = await createTestSession(storage, team, 'owner')
  const colleague = await createTestSession(storage, team, 'admin')
  const ask = async (headers: Record<string, string>, url = '/internal/session') =>
    server.inject({ url, headers })
  const replies = []
  for (let asked = 0; asked < 601; asked += 1) replies.push(await ask(one.headers))
  assert.deepEqual(
    replies.slice(598).map(({ statusCode }) => statusCode),
    [200, 200, 429],
  )
  const last = replies.at(-1)
  assert.equal(last?.json().error.code, 'too_many_session_requests')
  assert.match(String(last?.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
  assert.equal(last?.headers['x-ratelimit-limit'], undefined)
  // Another sign-in is not another limit.
  assert.equal((await ask(again.headers)).statusCode, 429)
  assert.equal((await ask(colleague.headers)).statusCode, 200)
  assert.equal((await ask(one.headers, '/api/v1/me')).statusCode, 200)
})

test('a failed sign-in hashes once, whether the account exists or not', async (t) => {
  const { storage, server } = await openTestDocket('sqlite')
  const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
  const hashes = countPasswordHashes(t)
  const hashesFor = async (email: string, headers = {}) => {
    const before = hashes()
    const body = { email, password: 'not the password' }
    await createCookieClient(server).send('POST /internal/session', body, { headers })
    return hashes() - before
  }
  // The tests of passwords show that a hash without an account takes the same time.
  assert.equal(await hashesFor(email), 1)
  assert.equal(await hashesFor(`no.${email}`), 1)
  assert.equal(await hashesFor(email, { origin: 'null' }), 0)
})
