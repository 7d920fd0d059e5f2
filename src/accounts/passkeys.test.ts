import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { withSecondFactor } from '#test/support/authenticator.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { createTestClock } from '#test/support/clock.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { freshDockets } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer } from '#test/support/mail.ts'
import { passkey } from '#test/support/passkey.ts'

const clock = createTestClock()
const mail = await mailServer()
after(() => mail.close())
const SITE = 'http://localhost:4000'
const env = {
  ...{ DOCKET_BASE_URL: SITE, DOCKET_PORT: '4000' },
  ...{ DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' },
}
/** Links of tests beside it were missed on a database that they share. */
const ownDocket = freshDockets(env, { clock })
const ASK = 'POST /internal/session/passkey/challenge'
const ENTER = 'POST /internal/session/passkey'
const WRONG = '401 invalid_credentials'
const OVER = '401 sign_in_over'

type One = ReturnType<typeof browser>

const seenTokens = new Set<string>()

/** That of the next link to reset a password that somebody gets. Mails come at least once, so some may come again. */
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
  const peopled = async () => {
    const { storage, server } = await ownDocket(engine)
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const fresh = () => browser(server, SITE)
    const one = fresh()
    await one.send('POST /internal/session', { email, password: PASSWORD })
    return { storage, server, home, email, one, fresh }
  }
  const asked = async (one: One, line = ASK, body: object = {}) =>
    String((await one.send(line, body)).body.challenge)
  const begin = (one: One) =>
    asked(one, 'POST /internal/account/passkeys/challenge', { current_password: PASSWORD })
  const keep = (one: One, made: object) =>
    one.send('POST /internal/account/passkeys', { name: 'Laptop', ...made })

  test(`a passkey signs in as its person, without a code (${engine})`, async () => {
    const { home, one, fresh } = await peopled()
    await withSecondFactor(one, clock)
    const key = passkey()
    const kept = await keep(one, key.make({ challenge: await begin(one) }))
    assert.equal(endOf(kept), '201')
    const twice = await keep(one, key.make({ challenge: await begin(one) }))
    assert.equal(endOf(twice), '422 validation_failed')
    const other = fresh()
    const entered = await other.send(ENTER, key.show({ challenge: await asked(other) }))
    assert.equal(endOf(entered), '201')
    assert.equal((entered.body.user as { id: string }).id, home.people.member)
    assert.deepEqual([...other.jar.keys()].toSorted(), ['docket_device', 'docket_session'])
    const devices = (await other.send('GET /internal/sessions')).body.data as { current: boolean }[]
    const here = devices.find(({ current }) => current) ?? {}
    assert.partialDeepStrictEqual(here, { signed_in_by: 'passkey', two_factors: true } as object)
    const means = await other.send('GET /internal/account/sign-in')
    const [shown] = means.body.passkeys as { id: string; name: string; last_used_at: string }[]
    assert.equal(shown?.name, 'Laptop')
    assert.match(shown?.last_used_at ?? '', /^20/)
    assert.equal(endOf(await other.send(`DELETE /internal/account/passkeys/${shown?.id}`)), '204')
    const late = fresh()
    assert.equal(endOf(await late.send(ENTER, key.show({ challenge: await asked(late) }))), WRONG)
  })

  test(`what was shown elsewhere, before or without the person opens nothing (${engine})`, async () => {
    const { one, fresh } = await peopled()
    const key = passkey()
    for (const change of [
      { origin: 'https://evil.example' },
      { site: 'evil.example' },
      { unverified: true },
    ]) {
      const made = key.make({ challenge: await begin(one), ...change })
      assert.equal(endOf(await keep(one, made)), '422 validation_failed', JSON.stringify(change))
    }
    const made = key.make({ challenge: await begin(one) })
    assert.equal(endOf(await keep(one, made)), '201')
    // The challenge was used.
    assert.equal(endOf(await keep(one, passkey().make({ challenge: 'x' }))), OVER)
    const tried = async (change: object) => {
      const visitor = fresh()
      const shown = key.show({ challenge: await asked(visitor), ...change })
      return endOf(await visitor.send(ENTER, shown))
    }
    assert.equal(await tried({}), '201')
    assert.equal(await tried({ origin: 'https://evil.example' }), WRONG)
    assert.equal(await tried({ origin: 'http://127.0.0.1:4000' }), WRONG)
    assert.equal(await tried({ site: 'evil.example' }), WRONG)
    assert.equal(await tried({ unverified: true }), WRONG)
    assert.equal(await tried({ challenge: 'another-challenge' }), WRONG)
    const visitor = fresh()
    const shown = key.show({ challenge: await asked(visitor) })
    // The challenge of one browser is nothing to another, and good once.
    const thief = fresh()
    await asked(thief)
    assert.equal(endOf(await thief.send(ENTER, shown)), WRONG)
    assert.equal(endOf(await fresh().send(ENTER, shown)), OVER)
    assert.equal(endOf(await visitor.send(ENTER, shown)), '201')
    assert.equal(endOf(await visitor.send(ENTER, shown)), OVER)
    // One that nobody has kept, and a known name with another key behind it.
    const stranger = fresh()
    assert.equal(
      endOf(await stranger.send(ENTER, passkey().show({ challenge: await asked(stranger) }))),
      WRONG,
    )
    const forged = { ...passkey().show({ challenge: await asked(stranger) }), id: key.id }
    assert.equal(endOf(await stranger.send(ENTER, forged)), WRONG)
  })

  test(`a passkey that counts backwards is refused, and told (${engine})`, async () => {
    const { one, fresh } = await peopled()
    const key = passkey()
    key.count(7)
    assert.equal(endOf(await keep(one, key.make({ challenge: await begin(one) }))), '201')
    const tried = async (count: number) => {
      key.count(count)
      const visitor = fresh()
      return endOf(await visitor.send(ENTER, key.show({ challenge: await asked(visitor) })))
    }
    assert.deepEqual(
      [await tried(8), await tried(8), await tried(3), await tried(9)],
      ['201', WRONG, WRONG, '201'],
    )
  })

  test(`who shows the mailbox first ends what others have put there (${engine})`, async () => {
    const { one, email, fresh } = await peopled()
    const key = passkey()
    const reset = async () => {
      await fresh().send('POST /internal/password-resets', { email })
      const token = await nextToken(email)
      const body = { token, password: PASSWORD }
      assert.equal(endOf(await one.send('POST /internal/password-resets/accept', body)), '201')
    }
    const tried = async () => {
      const visitor = fresh()
      return endOf(await visitor.send(ENTER, key.show({ challenge: await asked(visitor) })))
    }
    assert.equal(endOf(await keep(one, key.make({ challenge: await begin(one) }))), '201')
    await reset()
    assert.equal(await tried(), WRONG)
    assert.equal(endOf(await keep(one, key.make({ challenge: await begin(one) }))), '201')
    await reset()
    assert.equal(await tried(), '201')
  })
}

test('a site that is named by a number has no passkeys', async () => {
  const { server } = await docketOn('sqlite')
  assert.equal(endOf(await browser(server).send(ASK, {})), '404 not_found')
  const setup = await browser(server).send('GET /internal/setup')
  assert.equal(setup.body.passkeys, false)
})
