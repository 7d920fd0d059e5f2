import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { commandOfAll } from '#storage/statement.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer } from '#test/support/mail.ts'

const mail = await mailServer()
after(() => mail.close())
const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
const OTHER = 'plum cake at night'

const age = commandOfAll((db, $: { at: string }) =>
  db.updateTable('password_resets').set({ expires_at: $.at }),
)

for (const engine of ENGINES) {
  test(`a link by mail opens the account once, and ends all sessions (${engine})`, async () => {
    const { storage, server } = await docketOn(engine, env)
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const [known, lost] = [browser(server), browser(server)]
    await known.send('POST /internal/session', { email, password: PASSWORD })
    const ask = (body: unknown) => lost.send('POST /internal/password-resets', body)
    const accept = (token: string, password = OTHER) =>
      lost.send('POST /internal/password-resets/accept', { token, password })
    const link = async () => {
      const asked = await ask({ email: email.toUpperCase() })
      assert.deepEqual([asked.status, asked.body], [202, {}])
      const { to, text } = await mail.next()
      assert.deepEqual(to, [email])
      const token = /^http:\/\/127\.0\.0\.1:4000\/reset\/([\w-]{43})$/m.exec(text)?.[1]
      return token ?? assert.fail(text)
    }

    const stranger = await ask({ email: 'nobody.at.all@example.com' })
    assert.deepEqual([stranger.status, stranger.body], [202, {}])
    const old = await link()
    await storage.write(NOBODY, (tx) => tx.run(age, { at: '2020-01-01T00:00:00.000Z' }))
    assert.equal(endOf(await accept(old)), '404 not_found')

    const [first, second] = [await link(), await link()]
    assert.equal(endOf(await accept(first, 'short')), '422 validation_failed')
    assert.equal(endOf(await known.send('GET /internal/session')), '200')
    const racers = await Promise.all([accept(first), accept(first), accept(first)])
    assert.deepEqual(racers.map(endOf).toSorted(), ['201', '404 not_found', '404 not_found'])
    assert.equal(endOf(await lost.send('GET /internal/session')), '200')
    assert.equal(endOf(await known.send('GET /internal/session')), '401 authentication_required')
    // The other link ends with the password that it was for.
    assert.equal(endOf(await accept(second)), '404 not_found')
    const enter = (password: string) => known.send('POST /internal/session', { email, password })
    assert.equal(endOf(await enter(PASSWORD)), '401 invalid_credentials')
    assert.equal(endOf(await enter(OTHER)), '201')

    const third = await link()
    await known.send('PATCH /internal/account', { email: `b.${email}`, current_password: OTHER })
    assert.equal(endOf(await accept(third)), '404 not_found')
    assert.equal(mail.count(), 0)
  })

  test(`one mailbox gets few letters, and nobody is told so (${engine})`, async () => {
    const { storage, server } = await docketOn(engine, env)
    const email = await withPassword(storage, await newHome(storage), 'member')
    const asked = Array.from({ length: 12 }, () =>
      browser(server).send('POST /internal/password-resets', { email }),
    )
    for (const shown of await Promise.all(asked)) assert.equal(shown.status, 202)
    for (let letter = 0; letter < 5; letter += 1) await mail.next()
    const last = await withPassword(storage, await newHome(storage), 'owner')
    await browser(server).send('POST /internal/password-resets', { email: last })
    assert.deepEqual((await mail.next()).to, [last])
    assert.equal(mail.count(), 0)
  })
}

test('what a link says of where it leads comes from the operator, and a list is no address', async () => {
  const { storage, server } = await docketOn('sqlite', env)
  const email = await withPassword(storage, await newHome(storage), 'member')
  const one = browser(server)
  const headers = { 'x-forwarded-host': 'evil.example', host: 'localhost' }
  await one.send('POST /internal/password-resets', { email }, { headers })
  assert.match((await mail.next()).text, /^http:\/\/127\.0\.0\.1:4000\/reset\//m)
  const both = await one.send('POST /internal/password-resets', {
    email: [email, 'evil@example.com'],
  })
  assert.equal(endOf(both), '422 validation_failed')
  const foreign = { headers: { origin: 'https://evil.example' } }
  const forged = await one.send('POST /internal/password-resets', { email }, foreign)
  assert.equal(endOf(forged), '403 csrf_rejected')
  assert.equal(mail.count(), 0)
})

test('without a way for mails it is answered alike, and nothing is kept', async () => {
  const { storage, server } = await docketOn('sqlite')
  const email = await withPassword(storage, await newHome(storage), 'member')
  const asked = await browser(server).send('POST /internal/password-resets', { email })
  assert.deepEqual([asked.status, asked.body], [202, {}])
})
