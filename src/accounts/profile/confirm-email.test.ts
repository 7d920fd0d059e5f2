import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openJobByKey } from '#db/jobs/jobs.ts'
import { gatherNotificationEmails } from '#jobs/notification-emails.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const clock = createTestClock()
const CONFIRM = 'POST /internal/account/email-confirmation'
const RESEND = 'POST /internal/account/email-confirmation/link'
const MISSING = '404 not_found'

for (const engine of ENGINES) {
  const setUp = async () => {
    const mail = await startSmtpServer()
    after(() => mail.close())
    const env = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
    const { storage, server } = await openFreshDocket(engine, env, { clock })
    const team = await createTestWorkspace(storage)
    const signIn = async (role: 'member' | 'admin') => {
      const email = await setTestPassword(storage, team, role)
      const client = createCookieClient(server)
      await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
      return { client, email }
    }
    const { client, email } = await signIn('member')
    const change = async (wanted: string) => {
      const body = { email: wanted, current_password: TEST_PASSWORD }
      return client.send('PATCH /internal/account', body)
    }
    const status = async () => {
      const { body } = await client.send('GET /internal/account/sign-in')
      return { ...Object(body.email) }
    }
    const nextLink = async (to: string) => {
      const received = await mail.next()
      assert.deepEqual(received.to, [to])
      assert.doesNotMatch(
        received.text,
        /The member|Test|money/,
        'nothing that somebody has written',
      )
      return /\/confirm-email\/([\w-]{43})$/m.exec(received.text)?.[1] ?? assert.fail(received.text)
    }
    return { mail, storage, server, team, client, email, signIn, change, status, nextLink }
  }

  test(`a new address is that of the account once its link was opened (${engine})`, async () => {
    const { mail, storage, team, client, email, signIn, change, status, nextLink } = await setUp()
    const wanted = `new.${email}`
    const changed = await change(wanted)
    assert.deepEqual([changed.status, changed.body.email], [200, email])
    assert.deepEqual(await readEvents(storage, team.workspace), [])
    const token = await nextLink(wanted)
    const notice = await mail.nextNotice()
    assert.deepEqual(notice.to, [email])
    assert.match(notice.text, /Another email address was entered/)
    assert.deepEqual(await status(), { confirmed: false, sent_to: wanted })

    // Only a session of the account confirms it: a stranger who gets the link proves nothing for it.
    const { client: stranger } = await signIn('admin')
    assert.equal(describeReply(await stranger.send(CONFIRM, { token })), MISSING)
    const confirmed = await client.send(CONFIRM, { token })
    assert.deepEqual([confirmed.status, confirmed.body.email], [200, wanted])
    const types = (await readEvents(storage, team.workspace)).map(
      ({ payload }) => JSON.parse(payload).type,
    )
    assert.deepEqual(types, ['member.updated'])
    assert.deepEqual((await mail.nextNotice()).to, [email])
    assert.deepEqual(await status(), { confirmed: true, sent_to: null })
    assert.equal(describeReply(await client.send(CONFIRM, { token })), MISSING)
    assert.equal(describeReply(await client.send(RESEND, {})), '202')
    assert.equal(mail.count(), 0)
  })

  test(`a link ends by a newer one, a new password and after seven days (${engine})`, async () => {
    const { client, email, change, status, nextLink } = await setUp()
    const [first, second] = [`a.${email}`, `b.${email}`]
    await change(first)
    const old = await nextLink(first)
    await change(second)
    const ended = [old]
    ended.push(await nextLink(second))
    assert.equal(describeReply(await client.send(CONFIRM, { token: old })), MISSING)
    await client.send('PATCH /internal/account', {
      password: 'plum cake at night',
      current_password: TEST_PASSWORD,
    })
    for (const token of ended)
      assert.equal(describeReply(await client.send(CONFIRM, { token })), MISSING)
    assert.deepEqual(await status(), { confirmed: false, sent_to: null })
    // Without another address waiting, the link goes to the one of the account.
    assert.equal(describeReply(await client.send(RESEND, {})), '202')
    const late = await nextLink(email)
    clock.advance(7 * 24 * 60 * 60_000)
    assert.equal(describeReply(await client.send(CONFIRM, { token: late })), MISSING)
    clock.advance(-7 * 24 * 60 * 60_000)
    assert.equal(describeReply(await client.send(CONFIRM, { token: late })), '200')
    assert.deepEqual(await status(), { confirmed: true, sent_to: null })
  })

  test(`notifications go to a confirmed address only (${engine})`, async () => {
    const { mail, storage, server, team, client, email, nextLink } = await setUp()
    const asOwner = { headers: { authorization: `Bearer ${team.keys.owner}` } }
    const mention = async (title: string) => {
      const body = { project_id: team.project, title, assignee_ids: [team.people.member] }
      const made = await createCookieClient(server).send('POST /api/v1/tasks', body, asOwner)
      assert.equal(describeReply(made), '201')
      clock.advance(5 * 60_000)
      await gatherNotificationEmails(storage)()
      const job = { kind: 'notification_email', key: team.people.member } as const
      await waitUntil('the end of the email', () =>
        storage
          .read({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
            tx.one(openJobByKey, job),
          )
          .then((open) => open === undefined),
      )
    }
    await mention('Free money')
    const token = await nextLink(email)
    await mention('More money')
    assert.equal(describeReply(await client.send(CONFIRM, { token })), '200')
    await mention('Ship it')
    const { to, text } = await mail.next()
    assert.deepEqual(to, [email])
    assert.match(text, /Ship it/)
    assert.doesNotMatch(text, /money/)
  })

  test(`few links go to one mailbox (${engine})`, async () => {
    const { email, change, nextLink } = await setUp()
    const victim = `victim.${email}`
    const outcomes: string[] = []
    for (let n = 0; n < 7; n += 1) outcomes.push(describeReply(await change(victim)))
    assert.deepEqual(outcomes, [...Array(5).fill('200'), ...Array(2).fill('429 too_many_attempts')])
    await nextLink(victim)
  })

  test(`without mail a new address is that of the account at once (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const body = { email: `new.${email}`, current_password: TEST_PASSWORD }
    const changed = await client.send('PATCH /internal/account', body)
    assert.deepEqual([changed.status, changed.body.email], [200, body.email])
  })
}
