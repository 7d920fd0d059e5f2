import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clearSecondFactors } from '#auth/second-factor/second-factor.ts'
import { countAttempts, limitBySecondFactor } from '#auth/sign-in/attempt-limits.ts'
import { markEmailVerified } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import {
  ENGINES,
  openTestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createTotpApp, enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const mail = await startSmtpServer()
after(() => mail.close())
const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
const OTHER = 'plum cake at night'
const NEEDED = '401 second_factor_required'
const WRONG = '401 invalid_credentials'
const CODE = 'POST /internal/session/second-factor'

for (const engine of ENGINES) {
  const setUp = async (settings?: Record<string, string>) => {
    // Every server that sends emails takes those of its database.
    const { storage, server } = settings
      ? await openFreshDocket(engine, settings, { clock })
      : await openTestDocket(engine, withoutRowLevelSecurity(engine), { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const trustedBrowser = createCookieClient(server)
    await trustedBrowser.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const enter = (client: typeof trustedBrowser, password = TEST_PASSWORD) =>
      client.send('POST /internal/session', { email, password })
    return { storage, server, team, email, trustedBrowser, enter }
  }

  test(`sign-in requires a code after the second factor was enabled (${engine})`, async () => {
    const { server, storage, team, email, trustedBrowser, enter } = await setUp()
    const prepared = await trustedBrowser.send('POST /internal/account/second-factor', {
      current_password: TEST_PASSWORD,
    })
    const { secret, uri, qr } = prepared.body as Record<string, string> & { qr: { path: string } }
    assert.match(String(uri), new RegExp(`^otpauth://totp/.*secret=${secret}`))
    assert.match(qr.path, /^M4 4h1v1h-1zM5 4/)
    // A prepared second factor is not required yet.
    assert.equal(describeReply(await enter(createCookieClient(server))), '201')
    const codes = createTotpApp(String(secret), clock)
    const enable = (code: string) =>
      trustedBrowser.send('POST /internal/account/second-factor/enable', { code })
    assert.equal(describeReply(await enable('000000')), '422 validation_failed')
    const enabled = await enable(codes.next())
    const recovery = enabled.body.recovery_codes as string[]
    assert.equal(new Set(recovery).size, 10)
    assert.equal(describeReply(await enable(codes.next())), '422 validation_failed')
    const again = await trustedBrowser.send('POST /internal/account/second-factor', {
      current_password: TEST_PASSWORD,
    })
    assert.equal(describeReply(again), '409 second_factor_enabled')

    const client = createCookieClient(server)
    assert.equal(describeReply(await enter(client)), NEEDED)
    assert.deepEqual([...client.jar.keys()], ['docket_second_factor'])
    assert.equal(
      describeReply(await client.send('GET /internal/session')),
      '401 authentication_required',
    )
    const code = codes.next()
    assert.equal(
      describeReply(await createCookieClient(server).send(CODE, { code })),
      '401 sign_in_over',
    )
    assert.equal(describeReply(await client.send(CODE, { code: codes.at(3) })), WRONG)
    assert.equal(
      describeReply(await client.send(CODE, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })),
      '201',
    )
    assert.equal(describeReply(await client.send('GET /internal/session')), '200')
    assert.ok(!client.jar.has('docket_second_factor'))

    // Current and previous codes work once, as do recovery codes, in any spelling.
    const otherClient = createCookieClient(server)
    await enter(otherClient)
    for (const used of [code, codes.at(-1)])
      assert.equal(describeReply(await otherClient.send(CODE, { code: used })), WRONG)
    const [first = '', second = ''] = recovery
    assert.equal(
      describeReply(
        await otherClient.send(CODE, { code: first.toUpperCase().replaceAll('-', ' ') }),
      ),
      '201',
    )
    await enter(otherClient)
    assert.equal(describeReply(await otherClient.send(CODE, { code: first })), WRONG)
    assert.equal(describeReply(await otherClient.send(CODE, { code: second })), '201')
    const means = await otherClient.send('GET /internal/account/sign-in')
    assert.partialDeepStrictEqual(means.body, {
      has_password: true,
      second_factor: { recovery_codes_left: 8 },
    } as object)
    const devices = (await otherClient.send('GET /internal/sessions')).body.data as Record<
      string,
      unknown
    >[]
    const currentDevice = devices.find(({ current }) => current)
    assert.deepEqual([currentDevice?.signed_in_by, currentDevice?.two_factors], ['password', true])

    const rows = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(factorRows, { id: team.people.member }),
    )
    assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(String(secret)))
    assert.ok(!JSON.stringify(rows).includes(email))
  })

  test(`a code that is used concurrently succeeds only once (${engine})`, async () => {
    const { server, trustedBrowser, enter } = await setUp()
    const { codes, recovery } = await enrollSecondFactor(trustedBrowser, clock)
    for (const code of [codes.next(), recovery[0]]) {
      const clients = [1, 2, 3].map(() => createCookieClient(server))
      for (const client of clients) assert.equal(describeReply(await enter(client)), NEEDED)
      const ends = await Promise.all(clients.map((client) => client.send(CODE, { code })))
      assert.deepEqual(ends.map(describeReply).toSorted(), ['201', WRONG, WRONG])
    }
  })

  test(`blocks guesses of codes for longer and longer, and tells the user of ten (${engine})`, async () => {
    const { server, team, storage, trustedBrowser, enter } = await setUp(env)
    const { codes } = await enrollSecondFactor(trustedBrowser, clock)
    const attacker = createCookieClient(server)
    const guess = async (code = codes.at(100)) => {
      const { headers, ...reply } = await enter(attacker).then(() => attacker.send(CODE, { code }))
      return `${describeReply({ ...reply, headers })} ${headers['retry-after'] ?? ''}`.trim()
    }
    const guessMore = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        clock.advance(16 * 60_000)
        assert.equal(await guess(), WRONG)
      }
    }
    // Slow enough for a limit that looks only at the last 15 minutes.
    await guessMore(9)
    assert.equal(mail.count(), 0)
    await guessMore(1)
    assert.match((await mail.next()).text, /Ten wrong codes in a row/)
    for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]) {
      const blocked = `429 too_many_attempts ${minutes * 60}`
      assert.equal(await guess(codes.at(0)), blocked)
      clock.advance(minutes * 60_000 - 1_000)
      assert.equal(await guess(codes.at(0)), '429 too_many_attempts 1')
      clock.advance(1_000)
      assert.equal(await guess(), WRONG)
    }
    // The user's own browser is not blocked, and does not help who guesses elsewhere.
    assert.equal(describeReply(await enter(trustedBrowser)), NEEDED)
    assert.equal(describeReply(await trustedBrowser.send(CODE, { code: codes.next() })), '201')
    assert.match(await guess(codes.at(0)), /^429 too_many_attempts 863\d\d$/)
    clock.advance(24 * 60 * 60_000)
    assert.equal(await guess(codes.next()), '201')
    const counted = await storage.write(ANONYMOUS_ACTOR, (tx) =>
      countAttempts(tx, [limitBySecondFactor(team.people.member)]),
    )
    assert.deepEqual([...counted.counts.values()], [1])
  })

  test(`browsers that signed in before there was a second factor share one count of guesses (${engine})`, async () => {
    const { server, email, storage, trustedBrowser, enter } = await setUp()
    const THROTTLED = '429 too_many_attempts'
    const collected = Array.from({ length: 5 }, () => createCookieClient(server))
    for (const browser of collected) assert.equal(describeReply(await enter(browser)), '201')
    const guess = async (browser: typeof trustedBrowser, code: string) => {
      assert.equal(describeReply(await enter(browser)), NEEDED)
      return describeReply(await browser.send(CODE, { code }))
    }
    clock.advance(1_000)
    const first = await enrollSecondFactor(trustedBrowser, clock)
    // A session from before continues in a workspace that it joins, but has shown no second factor.
    const [continued = assert.fail()] = collected
    const owner = createCookieClient(server)
    const otherHome = await createTestWorkspace(storage)
    const ownerEmail = await setTestPassword(storage, otherHome, 'owner')
    await owner.send('POST /internal/session', { email: ownerEmail, password: TEST_PASSWORD })
    const invited = await owner.send('POST /internal/invitations', { email, role: 'member' })
    continued.jar.delete('docket_device')
    const token = String(invited.body.accept_url).split('/').at(-1)
    const accepted = await continued.send('POST /internal/invitations/accept', { token })
    assert.equal(describeReply(accepted), '201')
    assert.ok(!continued.jar.has('docket_device'))
    for (const browser of collected) {
      for (const n of [1, 2]) assert.equal(await guess(browser, first.codes.at(100 + n)), WRONG)
    }
    for (const browser of [...collected, createCookieClient(server)])
      assert.equal(await guess(browser, first.codes.at(0)), THROTTLED)
    // The browser in which the second factor was set up has a count of its own.
    assert.equal(await guess(trustedBrowser, first.codes.next()), '201')
    // One that has shown the second factor since gets one, too.
    clock.advance(15 * 60_000)
    const [shown = assert.fail(), stranger = assert.fail()] = collected
    assert.equal(await guess(shown, first.codes.next()), '201')
    for (let n = 0; n < 10; n += 1) assert.equal(await guess(stranger, '000000'), WRONG)
    assert.equal(await guess(stranger, first.codes.at(0)), THROTTLED)
    assert.equal(await guess(shown, first.codes.next()), '201')

    // A new second factor begins anew: what a browser has shown of the former one no longer counts.
    const disable = { code: first.codes.next(), current_password: TEST_PASSWORD }
    const disabled = await trustedBrowser.send(
      'POST /internal/account/second-factor/disable',
      disable,
    )
    assert.equal(describeReply(disabled), '200')
    clock.advance(1_000)
    const second = await enrollSecondFactor(trustedBrowser, clock)
    for (let n = 0; n < 10; n += 1) assert.equal(await guess(stranger, '000000'), WRONG)
    assert.equal(await guess(shown, second.codes.at(0)), THROTTLED)
    assert.equal(await guess(trustedBrowser, second.codes.next()), '201')
  })

  test(`tells the user of ten wrong codes, whatever browsers they came from (${engine})`, async () => {
    const { server, trustedBrowser, enter } = await setUp(env)
    const { codes } = await enrollSecondFactor(trustedBrowser, clock)
    const browsers = [createCookieClient(server), createCookieClient(server)]
    const guess = async (browser: typeof trustedBrowser, code = codes.at(100)) => {
      assert.equal(describeReply(await enter(browser)), NEEDED)
      return describeReply(await browser.send(CODE, { code }))
    }
    for (const browser of browsers) assert.equal(await guess(browser, codes.next()), '201')
    // Each has a count of its own, and so have browsers that nobody knows.
    const all = [...browsers, createCookieClient(server)]
    const guessInAll = async (times: number) => {
      for (let n = 0; n < times; n += 1)
        for (const browser of all) assert.equal(await guess(browser), WRONG)
    }
    await guessInAll(3)
    assert.equal(mail.count(), 0)
    // A right code ends the row, and the count of its own browser.
    assert.equal(await guess(trustedBrowser, codes.next()), '201')
    await guessInAll(3)
    assert.equal(mail.count(), 0)
    assert.equal(await guess(trustedBrowser), WRONG)
    await waitUntil('the email', () => mail.count() === 1)
    assert.match((await mail.next()).text, /Ten wrong codes in a row/)
  })

  test(`password reset, password change and invitations do not bypass the second factor (${engine})`, async () => {
    const { server, team, storage, email, trustedBrowser, enter } = await setUp(env)
    await storage.write(ANONYMOUS_ACTOR, (tx) => markEmailVerified(tx, team.people.member))
    const { codes } = await enrollSecondFactor(trustedBrowser, clock)
    const resetBrowser = createCookieClient(server)
    await resetBrowser.send('POST /internal/password-resets', { email })
    const token = /\/reset\/([\w-]{43})$/m.exec((await mail.next()).text)?.[1]
    const reset = await resetBrowser.send('POST /internal/password-resets/accept', {
      token,
      password: OTHER,
      revoke_access: true,
    })
    assert.equal(describeReply(reset), NEEDED)
    const bearer = { headers: { authorization: `Bearer ${team.keys.member}` } }
    const sendWithKey = async () =>
      describeReply(await createCookieClient(server).send('GET /api/v1/me', undefined, bearer))
    assert.equal(await sendWithKey(), '200')
    assert.equal(
      describeReply(await resetBrowser.send('GET /internal/session')),
      '401 authentication_required',
    )
    assert.equal(describeReply(await enter(createCookieClient(server))), WRONG)
    assert.equal(describeReply(await resetBrowser.send(CODE, { code: codes.next() })), '201')
    // API keys end only after the second factor: the mailbox alone could stop other programs.
    assert.equal(await sendWithKey(), '401 invalid_token')

    // A sign-in that was started with a previous password cannot be continued.
    const staleClient = createCookieClient(server)
    assert.equal(describeReply(await enter(staleClient, OTHER)), NEEDED)
    const change = { password: TEST_PASSWORD, current_password: OTHER }
    assert.equal(describeReply(await resetBrowser.send('PATCH /internal/account', change)), '200')
    assert.equal(
      describeReply(await staleClient.send(CODE, { code: codes.next() })),
      '401 sign_in_over',
    )

    const otherHome = await createTestWorkspace(storage)
    const owner = createCookieClient(server)
    const ownerEmail = await setTestPassword(storage, otherHome, 'owner')
    await owner.send('POST /internal/session', { email: ownerEmail, password: TEST_PASSWORD })
    const invited = await owner.send('POST /internal/invitations', { email, role: 'member' })
    await mail.next()
    const link = String(invited.body.accept_url).split('/').at(-1)
    const accept = (more: object) =>
      createCookieClient(server).send('POST /internal/invitations/accept', {
        token: link,
        password: TEST_PASSWORD,
        ...more,
      })
    assert.equal(describeReply(await accept({})), NEEDED)
    assert.equal(describeReply(await accept({ code: '000000' })), WRONG)
    assert.equal(describeReply(await accept({ code: codes.next() })), '201')
    assert.equal(team.people.member.slice(0, 4), 'usr_')
  })

  test(`disabling requires password and code, and an unfinished sign-in expires (${engine})`, async () => {
    const { server, trustedBrowser, enter } = await setUp()
    const { codes, recovery } = await enrollSecondFactor(trustedBrowser, clock)
    const disable = (body: object) =>
      trustedBrowser.send('POST /internal/account/second-factor/disable', body)
    assert.equal(describeReply(await disable({ code: codes.next() })), '422 validation_failed')
    assert.equal(
      describeReply(await disable({ code: codes.next(), current_password: OTHER })),
      '422 validation_failed',
    )
    assert.equal(
      describeReply(await disable({ code: '000000', current_password: TEST_PASSWORD })),
      WRONG,
    )
    const renew = { code: codes.next(), current_password: TEST_PASSWORD }
    const renewed = await trustedBrowser.send(
      'POST /internal/account/second-factor/recovery-codes',
      renew,
    )
    assert.equal(describeReply(renewed), '200')
    assert.equal(renewed.headers['content-encoding'], undefined)
    const lateBrowser = createCookieClient(server)
    assert.equal(describeReply(await enter(lateBrowser)), NEEDED)
    assert.equal(describeReply(await lateBrowser.send(CODE, { code: recovery[3] })), WRONG)
    clock.advance(11 * 60_000)
    assert.equal(
      describeReply(await lateBrowser.send(CODE, { code: codes.next() })),
      '401 sign_in_over',
    )
    assert.equal(
      describeReply(await disable({ code: codes.at(0), current_password: TEST_PASSWORD })),
      '200',
    )
    assert.equal(describeReply(await enter(lateBrowser)), '201')
  })
}

for (const engine of ENGINES) {
  test(`clearing the second factor ends all sessions (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine, withoutRowLevelSecurity(engine), {
      clock,
    })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'guest')
    const client = createCookieClient(server)
    const enter = () => client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    await enter()
    await enrollSecondFactor(client, clock)
    const clear = () =>
      storage.write(ANONYMOUS_ACTOR, (tx) => clearSecondFactors(tx, team.people.guest))
    assert.deepEqual([await clear(), await clear()], [true, false])
    assert.equal(describeReply(await enter()), '201')
  })
}

const factorRows = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('second_factors').selectAll().where('user_id', '=', $.id),
)
