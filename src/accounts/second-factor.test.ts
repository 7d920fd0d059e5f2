import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { clearFactor } from '#identity/second-factor.ts'
import { queryOfAll } from '#storage/statement.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { codesOf, withSecondFactor } from '#test/support/authenticator.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { createTestClock } from '#test/support/clock.ts'
import { docketOn, ENGINES, withoutWalls } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer } from '#test/support/mail.ts'

const clock = createTestClock()
const mail = await mailServer()
after(() => mail.close())
const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
const OTHER = 'plum cake at night'
const NEEDED = '401 second_factor_required'
const WRONG = '401 invalid_credentials'
const CODE = 'POST /internal/session/second-factor'

for (const engine of ENGINES) {
  const peopled = async (settings: Record<string, string> = {}) => {
    const { storage, server } = await docketOn(
      engine,
      { ...withoutWalls(engine), ...settings },
      { clock },
    )
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const known = browser(server)
    await known.send('POST /internal/session', { email, password: PASSWORD })
    const enter = (one: typeof known, password = PASSWORD) =>
      one.send('POST /internal/session', { email, password })
    return { storage, server, home, email, known, enter }
  }

  test(`a password alone opens nothing once there is a second factor (${engine})`, async () => {
    const { server, storage, home, email, known, enter } = await peopled()
    const begun = await known.send('POST /internal/account/second-factor', {
      current_password: PASSWORD,
    })
    const { secret, uri, qr } = begun.body as Record<string, string> & { qr: { path: string } }
    assert.match(String(uri), new RegExp(`^otpauth://totp/.*secret=${secret}`))
    assert.match(qr.path, /^M4 4h1v1h-1zM5 4/)
    // Prepared is not enabled.
    assert.equal(endOf(await enter(browser(server))), '201')
    const codes = codesOf(String(secret), clock)
    const enable = (code: string) =>
      known.send('POST /internal/account/second-factor/enable', { code })
    assert.equal(endOf(await enable('000000')), '422 validation_failed')
    const enabled = await enable(codes.next())
    const recovery = enabled.body.recovery_codes as string[]
    assert.equal(new Set(recovery).size, 10)
    assert.equal(endOf(await enable(codes.next())), '422 validation_failed')
    const again = await known.send('POST /internal/account/second-factor', {
      current_password: PASSWORD,
    })
    assert.equal(endOf(again), '409 second_factor_enabled')

    const one = browser(server)
    assert.equal(endOf(await enter(one)), NEEDED)
    assert.deepEqual([...one.jar.keys()], ['docket_second_factor'])
    assert.equal(endOf(await one.send('GET /internal/session')), '401 authentication_required')
    const code = codes.next()
    assert.equal(endOf(await browser(server).send(CODE, { code })), '401 sign_in_over')
    assert.equal(endOf(await one.send(CODE, { code: codes.at(3) })), WRONG)
    assert.equal(
      endOf(await one.send(CODE, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })),
      '201',
    )
    assert.equal(endOf(await one.send('GET /internal/session')), '200')
    assert.ok(!one.jar.has('docket_second_factor'))

    // A code is right once, and so is one of before; recovery codes are too, however they are typed.
    const two = browser(server)
    await enter(two)
    for (const used of [code, codes.at(-1)])
      assert.equal(endOf(await two.send(CODE, { code: used })), WRONG)
    const [first = '', second = ''] = recovery
    assert.equal(
      endOf(await two.send(CODE, { code: first.toUpperCase().replaceAll('-', ' ') })),
      '201',
    )
    await enter(two)
    assert.equal(endOf(await two.send(CODE, { code: first })), WRONG)
    assert.equal(endOf(await two.send(CODE, { code: second })), '201')
    const means = await two.send('GET /internal/account/sign-in')
    assert.partialDeepStrictEqual(means.body, {
      has_password: true,
      second_factor: { recovery_codes_left: 8 },
    } as object)
    const devices = (await two.send('GET /internal/sessions')).body.data as Record<
      string,
      unknown
    >[]
    const here = devices.find(({ current }) => current)
    assert.deepEqual([here?.signed_in_by, here?.two_factors], ['password', true])

    const kept = await storage.read(NOBODY, (tx) => tx.all(factorRows, { id: home.people.member }))
    assert.ok(kept.length === 1 && !JSON.stringify(kept).includes(String(secret)))
    assert.ok(!JSON.stringify(kept).includes(email))
  })

  test(`of those who show one code at once one comes in (${engine})`, async () => {
    const { server, known, enter } = await peopled()
    const { codes, recovery } = await withSecondFactor(known, clock)
    for (const code of [codes.next(), recovery[0]]) {
      const racers = [1, 2, 3].map(() => browser(server))
      for (const one of racers) assert.equal(endOf(await enter(one)), NEEDED)
      const ends = await Promise.all(racers.map((one) => one.send(CODE, { code })))
      assert.deepEqual(ends.map(endOf).toSorted(), ['201', WRONG, WRONG])
    }
  })

  test(`guesses at a code are counted, and the right password forgives none (${engine})`, async () => {
    const { server, known, enter } = await peopled()
    const { codes } = await withSecondFactor(known, clock)
    const thief = browser(server)
    const ends: string[] = []
    for (let guess = 0; guess < 12; guess += 1) {
      assert.equal(endOf(await enter(thief)), NEEDED)
      ends.push(endOf(await thief.send(CODE, { code: codes.at(100 + guess) })))
    }
    const THROTTLED = '429 too_many_attempts'
    assert.deepEqual(ends, [...Array(10).fill(WRONG), THROTTLED, THROTTLED])
    assert.equal(endOf(await thief.send(CODE, { code: codes.next() })), THROTTLED)
    // A browser that was let in before has a count of its own.
    assert.equal(endOf(await enter(known)), NEEDED)
    assert.equal(endOf(await known.send(CODE, { code: codes.next() })), '201')
  })

  test(`no other door is a way around it (${engine})`, async () => {
    const { server, home, storage, email, known, enter } = await peopled(env)
    const { codes } = await withSecondFactor(known, clock)
    const lost = browser(server)
    await lost.send('POST /internal/password-resets', { email })
    const token = /\/reset\/([\w-]{43})$/m.exec((await mail.next()).text)?.[1]
    const reset = await lost.send('POST /internal/password-resets/accept', {
      token,
      password: OTHER,
    })
    assert.equal(endOf(reset), NEEDED)
    assert.equal(endOf(await lost.send('GET /internal/session')), '401 authentication_required')
    assert.equal(endOf(await enter(browser(server))), WRONG)
    assert.equal(endOf(await lost.send(CODE, { code: codes.next() })), '201')

    // What was begun with a password that is no more does not go on.
    const slow = browser(server)
    assert.equal(endOf(await enter(slow, OTHER)), NEEDED)
    const change = { password: PASSWORD, current_password: OTHER }
    assert.equal(endOf(await lost.send('PATCH /internal/account', change)), '200')
    assert.equal(endOf(await slow.send(CODE, { code: codes.next() })), '401 sign_in_over')

    const there = await newHome(storage)
    const owner = browser(server)
    const owners = await withPassword(storage, there, 'owner')
    await owner.send('POST /internal/session', { email: owners, password: PASSWORD })
    const invited = await owner.send('POST /internal/invitations', { email, role: 'member' })
    await mail.next()
    const link = String(invited.body.accept_url).split('/').at(-1)
    const accept = (more: object) =>
      browser(server).send('POST /internal/invitations/accept', {
        ...{ token: link, password: PASSWORD },
        ...more,
      })
    assert.equal(endOf(await accept({})), NEEDED)
    assert.equal(endOf(await accept({ code: '000000' })), WRONG)
    assert.equal(endOf(await accept({ code: codes.next() })), '201')
    assert.equal(home.people.member.slice(0, 4), 'usr_')
  })

  test(`giving it up takes the password and a code, and time ends a sign-in (${engine})`, async () => {
    const { server, known, enter } = await peopled()
    const { codes, recovery } = await withSecondFactor(known, clock)
    const disable = (body: object) =>
      known.send('POST /internal/account/second-factor/disable', body)
    assert.equal(endOf(await disable({ code: codes.next() })), '422 validation_failed')
    assert.equal(
      endOf(await disable({ code: codes.next(), current_password: OTHER })),
      '422 validation_failed',
    )
    assert.equal(endOf(await disable({ code: '000000', current_password: PASSWORD })), WRONG)
    const renew = { code: codes.next(), current_password: PASSWORD }
    const renewed = await known.send('POST /internal/account/second-factor/recovery-codes', renew)
    assert.equal(endOf(renewed), '200')
    assert.equal(renewed.headers['content-encoding'], undefined)
    const late = browser(server)
    assert.equal(endOf(await enter(late)), NEEDED)
    assert.equal(endOf(await late.send(CODE, { code: recovery[3] })), WRONG)
    clock.advance(11 * 60_000)
    assert.equal(endOf(await late.send(CODE, { code: codes.next() })), '401 sign_in_over')
    assert.equal(endOf(await disable({ code: codes.at(0), current_password: PASSWORD })), '200')
    assert.equal(endOf(await enter(late)), '201')
  })
}

for (const engine of ENGINES) {
  test(`an operator clears what was lost, and all sessions end (${engine})`, async () => {
    const { storage, server } = await docketOn(engine, withoutWalls(engine), { clock })
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'guest')
    const one = browser(server)
    const enter = () => one.send('POST /internal/session', { email, password: PASSWORD })
    await enter()
    await withSecondFactor(one, clock)
    const clear = () => storage.write(NOBODY, (tx) => clearFactor(tx, home.people.guest))
    assert.deepEqual([await clear(), await clear()], [true, false])
    assert.equal(endOf(await enter()), '201')
  })
}

const factorRows = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('second_factors').selectAll().where('user_id', '=', $.id),
)
