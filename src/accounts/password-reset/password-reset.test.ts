import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { createFreshDockets, openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const mail = await startSmtpServer()
after(() => mail.close())
const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
/** Databases of its own, because every server that sends emails takes those of its database. */
const ownDocket = createFreshDockets(env)
const MINUTE = 60_000
const OTHER = 'plum cake at night'

const setExpiry = unscopedCommand((db, $: { at: string }) =>
  db.updateTable('password_resets').set({ expires_at: $.at }),
)

const jobAttempts = unscopedQuery((db) => db.selectFrom('jobs').select(['status', 'attempts']))

for (const engine of ENGINES) {
  test(`a password reset link works once and ends all sessions (${engine})`, async () => {
    const { storage, server } = await ownDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const [signedInBrowser, resetBrowser] = [createCookieClient(server), createCookieClient(server)]
    await signedInBrowser.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const ask = (body: unknown) => resetBrowser.send('POST /internal/password-resets', body)
    const accept = (token: string, password = OTHER) =>
      resetBrowser.send('POST /internal/password-resets/accept', { token, password })
    const link = async () => {
      const response = await ask({ email: email.toUpperCase() })
      assert.deepEqual([response.status, response.body], [202, {}])
      const { to, text } = await mail.next()
      assert.deepEqual(to, [email])
      const token = /^http:\/\/127\.0\.0\.1:4000\/reset\/([\w-]{43})$/m.exec(text)?.[1]
      return token ?? assert.fail(text)
    }

    const unknownAddress = await ask({ email: 'nobody.at.all@example.com' })
    assert.deepEqual([unknownAddress.status, unknownAddress.body], [202, {}])
    const old = await link()
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(setExpiry, { at: '2020-01-01T00:00:00.000Z' }),
    )
    assert.equal(describeReply(await accept(old)), '404 not_found')

    const [first, second] = [await link(), await link()]
    assert.equal(describeReply(await accept(first, 'short')), '422 validation_failed')
    assert.equal(describeReply(await signedInBrowser.send('GET /internal/session')), '200')
    const racers = await Promise.all([accept(first), accept(first), accept(first)])
    assert.deepEqual(racers.map(describeReply).toSorted(), [
      '201',
      '404 not_found',
      '404 not_found',
    ])
    assert.equal(describeReply(await resetBrowser.send('GET /internal/session')), '200')
    assert.equal(
      describeReply(await signedInBrowser.send('GET /internal/session')),
      '401 authentication_required',
    )
    // The other link is invalid after the password has changed.
    assert.equal(describeReply(await accept(second)), '404 not_found')
    const enter = (password: string) =>
      signedInBrowser.send('POST /internal/session', { email, password })
    assert.equal(describeReply(await enter(TEST_PASSWORD)), '401 invalid_credentials')
    assert.equal(describeReply(await enter(OTHER)), '201')

    const third = await link()
    await signedInBrowser.send('PATCH /internal/account', {
      email: `b.${email}`,
      current_password: OTHER,
    })
    const confirmation = /\/confirm-email\/([\w-]{43})$/m.exec((await mail.next()).text)?.[1]
    await signedInBrowser.send('POST /internal/account/email-confirmation', { token: confirmation })
    assert.equal(describeReply(await accept(third)), '404 not_found')
    assert.equal(mail.count(), 0)
  })

  test(`limits reset emails to one mailbox without revealing it (${engine})`, async () => {
    const { storage, server } = await ownDocket(engine)
    const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
    const response = Array.from({ length: 12 }, () =>
      createCookieClient(server).send('POST /internal/password-resets', { email }),
    )
    for (const shown of await Promise.all(response)) assert.equal(shown.status, 202)
    for (let letter = 0; letter < 5; letter += 1) await mail.next()
    const otherEmail = await setTestPassword(storage, await createTestWorkspace(storage), 'owner')
    await createCookieClient(server).send('POST /internal/password-resets', { email: otherEmail })
    assert.deepEqual((await mail.next()).to, [otherEmail])
    assert.equal(mail.count(), 0)
  })
}

for (const engine of ENGINES) {
  test(`a reset link is valid from when its email was sent, unless the password has changed (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server } = await openFreshDocket(engine, env, { clock })
    const team = await createTestWorkspace(storage)
    const [email, otherEmail] = [
      await setTestPassword(storage, team, 'member'),
      await setTestPassword(storage, team, 'admin'),
    ]
    mail.refuseConnections(true)
    const client = createCookieClient(server)
    for (const one of [email, otherEmail])
      await client.send('POST /internal/password-resets', { email: one })
    const attempts = () =>
      storage.read(ANONYMOUS_ACTOR, async (tx) => {
        const jobs = await tx.all(jobAttempts, {})
        return jobs.every(({ status }) => status === 'waiting')
          ? jobs.map((job) => job.attempts)
          : []
      })
    await waitUntil('the first attempts', async () => (await attempts()).join() === '1,1')
    const other = createCookieClient(server)
    const password = TEST_PASSWORD
    await other.send('POST /internal/session', { email: otherEmail, password })
    const change = { password: OTHER, current_password: password }
    assert.equal(describeReply(await other.send('PATCH /internal/account', change)), '200')
    mail.refuseConnections(false)
    clock.advance(40 * MINUTE)
    const { to, text } = await mail.next()
    assert.deepEqual(to, [email])
    clock.advance(29 * MINUTE)
    const token = /\/reset\/([\w-]{43})$/m.exec(text)?.[1]
    const accepted = await client.send('POST /internal/password-resets/accept', {
      token,
      password: OTHER,
    })
    assert.equal(describeReply(accepted), '201')
    const isDone = async () =>
      (await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(jobAttempts, {}))).every(
        ({ status }) => status === 'done',
      )
    await waitUntil('the end of both jobs', isDone)
    assert.equal(mail.count(), 0)
  })
}

test('builds the reset link from the configured base URL and rejects a list of addresses', async () => {
  const { storage, server } = await ownDocket('sqlite')
  const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
  const client = createCookieClient(server)
  const headers = { 'x-forwarded-host': 'evil.example', host: 'localhost' }
  await client.send('POST /internal/password-resets', { email }, { headers })
  assert.match((await mail.next()).text, /^http:\/\/127\.0\.0\.1:4000\/reset\//m)
  const addressList = await client.send('POST /internal/password-resets', {
    email: [email, 'evil@example.com'],
  })
  assert.equal(describeReply(addressList), '422 validation_failed')
  const foreign = { headers: { origin: 'https://evil.example' } }
  const forged = await client.send('POST /internal/password-resets', { email }, foreign)
  assert.equal(describeReply(forged), '403 csrf_rejected')
  assert.equal(mail.count(), 0)
})

test('password reset responds alike if no mail is configured', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
  const response = await createCookieClient(server).send('POST /internal/password-resets', {
    email,
  })
  assert.deepEqual([response.status, response.body], [202, {}])
})
