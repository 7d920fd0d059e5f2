import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { markEmailVerified } from '#auth/users/accounts.ts'
import { softDeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { Mailer } from '#core/mailer.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openMail } from '#mail/smtp.ts'
import { removeMember } from '#resources/members/membership.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { type ReceivedEmail, startSmtpServer } from '#test/support/services/smtp-server.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'
import { gatherNotificationEmails, notificationEmailTemplate } from './notification-emails.ts'
import { createEmailJob } from './queue/email-job.ts'
import { createJobWorker } from './queue/job-worker.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const server = await startSmtpServer()
const mail = openMail({ url: server.url, from: 'docket@example.com' })
after(async () => {
  await mail.close()
  await server.close()
})

const clock = createTestClock()

/** Enqueues the emails that are due, and sends them. */
function createSender(storage: Storage, baseUrl: string, mailer: Mailer = mail) {
  const kinds = [
    createEmailJob(
      mailer,
      baseUrl,
      notificationEmailTemplate(baseUrl, async () => {}),
    ),
  ]
  const worker = createJobWorker({ storage, kinds, log: testLog })
  return async () => {
    await gatherNotificationEmails(storage)()
    while ((await worker.runDueJobs()) > 0);
  }
}

async function setUp(engine: DatabaseEngine) {
  const opened = await openFreshDocket(engine, {}, { clock })
  const { storage, server: docket, config } = opened
  const team = await createTestWorkspace(storage)
  const { people } = team
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    for (const id of Object.values(people)) await markEmailVerified(tx, id)
  })
  const client = createTestClient(opened, team)
  const ask = (who: Role, line: string, body: object) => client.send(line, body, who)
  const task = await ask('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Ship <it> & go',
  })
  const say = (body: string) => ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body })
  const send = createSender(storage, config.baseUrl)
  const post = (url: string, payload = 'List-Unsubscribe=One-Click') => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return docket.inject({ method: 'POST', url, headers, payload })
  }
  return { storage, docket, config, team, people, ask, task, say, send, post }
}

const header = ({ text }: ReceivedEmail, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'mi').exec(text)?.[1] ?? assert.fail(`${name} of ${text}`)

const assertNoEmail = () => assert.equal(server.count(), 0)

for (const engine of ENGINES) {
  test(`sends notifications of the same minutes in one email, once (${engine})`, async () => {
    const { storage, config, people, ask, task, say, send } = await setUp(engine)
    await say(`<@${people.member}>, look`)
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { assignee_ids: [people.member] })
    await send()
    assertNoEmail()
    clock.advance(3 * MINUTE)
    server.refuse(1)
    await send()
    assertNoEmail()
    clock.advance(10 * MINUTE)
    // Several processes find the email at the same moment.
    const other = engine === 'postgres' ? (await openStore({ ...config, clock })).storage : storage
    const sends = [send, createSender(other, config.baseUrl)]
    await Promise.all(sends.map((one) => one()))
    const got = await server.next()
    await Promise.all(sends.map((one) => one()))
    clock.advance(DAY)
    await Promise.all(sends.map((one) => one()))
    assertNoEmail()
    if (other !== storage) await other.close()
    assert.match(header(got, 'Subject'), /^2 notifications in Test/)
    assert.match(
      got.text,
      /The owner mentioned you\nENG-1 Ship <it> & go\nhttp:\/\/127\.0\.0\.1:4000\/w\//,
    )
    assert.match(got.text, /ENG-1 Ship &lt;it&gt; &amp; go<\/a>/)
    assert.equal(header(got, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  })

  test(`retries a rejected email under the same Message-ID (${engine})`, async () => {
    const { storage, config, people, say, send } = await setUp(engine)
    await say(`<@${people.member}>`)
    clock.advance(3 * MINUTE)
    server.refuse(1)
    await send()
    await send()
    assertNoEmail()
    clock.advance(10 * MINUTE)
    // This process dies after the server has accepted the email, before that is recorded.
    let id = ''
    const died = new Promise<void>((resolve) => {
      const dying: Mailer = {
        async send(email) {
          await mail.send(email)
          id = email.id
          resolve()
          return new Promise<void>(() => {})
        },
      }
      void createSender(storage, config.baseUrl, dying)()
    })
    await died
    assert.equal(header(await server.next(), 'Message-ID'), `<${id}>`)
    await send()
    assertNoEmail()
    // Another process sends it again: mail programs recognize it by its id.
    clock.advance(30 * MINUTE)
    await send()
    assert.equal(header(await server.next(), 'Message-ID'), `<${id}>`)
    clock.advance(DAY)
    await send()
    assertNoEmail()
  })

  test(`sends a digest at the recipient's local hour (${engine})`, async () => {
    const { ask, task, say, send } = await setUp(engine)
    // The owner watches the task that they have created.
    await ask('owner', 'PATCH /internal/notification-settings', {
      kinds: { commented: { mail: 'never' } },
    })
    await ask('member', `POST /api/v1/tasks/${task.id}/comments`, { body: 'I watch' })
    const zone = 'Pacific/Kiritimati'
    await ask('member', 'PATCH /internal/account', { timezone: zone })
    await ask('member', 'PATCH /internal/notification-settings', { digest_hour: 6 })
    await say('One')
    await say('Two')
    const now = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO(zone)
    const six = now.withPlainTime({ hour: 6 })
    const due = Temporal.ZonedDateTime.compare(six, now) > 0 ? six : six.add({ days: 1 })
    clock.advance(due.epochMilliseconds - clock.now() - 4 * MINUTE)
    await send()
    assertNoEmail()
    clock.advance(4 * MINUTE)
    await send()
    const got = await server.next()
    assert.deepEqual(got.to.length, 1)
    assert.match(got.to[0] ?? '', /^member\./)
    assert.match(header(got, 'Subject'), /^2 notifications/)
    assertNoEmail()
  })

  test(`omits notifications that are read, hidden, or of a former workspace (${engine})`, async () => {
    const { storage, team, people, ask, task, say, send } = await setUp(engine)
    await say(`<@${people.member}> <@${people.admin}> <@${people.guest}>`)
    await ask('member', 'PATCH /internal/notifications', { read: true })
    const at = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    await storage.write(at, (tx) => removeMember(tx, people.guest))
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { project_id: team.hidden })
    clock.advance(3 * MINUTE)
    await send()
    assert.match((await server.next()).to.join(), /^admin\./)
    assertNoEmail()
  })

  test(`sends no email from a deleted workspace (${engine})`, async () => {
    const { storage, team, people, say, send } = await setUp(engine)
    await say(`<@${people.member}>`)
    const owner = { ...createUserActor(people.owner, team.workspace), role: 'owner' as const }
    await storage.write(owner, softDeleteWorkspace)
    clock.advance(3 * MINUTE)
    await send()
    assertNoEmail()
  })

  test(`unsubscribes by one-click POST and not by opening the link (${engine})`, async () => {
    const { docket, people, ask, say, send, post } = await setUp(engine)
    await say(`<@${people.member}>`)
    clock.advance(3 * MINUTE)
    await send()
    const url = /<(.*)>/.exec(header(await server.next(), 'List-Unsubscribe'))?.[1] ?? ''
    const path = new URL(url).pathname
    const opened = await docket.inject({ url: path })
    assert.match(opened.body, /<form method="post">/)
    const forged = path.replace(/.(?=.$)/, (char) => (char === 'A' ? 'B' : 'A'))
    assert.equal((await post(forged)).statusCode, 404)
    assert.equal((await post('/unsubscribe/nothing')).statusCode, 404)
    await say(`<@${people.member}>, again`)
    clock.advance(3 * MINUTE)
    await send()
    assert.match((await server.next()).to.join(), /^member\./)

    await say(`<@${people.member}>, and again`)
    const ended = await post(path)
    assert.equal(ended.statusCode, 200, path)
    assert.match(ended.body, /no more mails/)
    assert.equal((await post(path, '')).statusCode, 200)
    clock.advance(3 * MINUTE)
    await send()
    assertNoEmail()
    const settings = await ask('member', 'PATCH /internal/notification-settings', {})
    assert.deepEqual(settings.kinds.mentioned, { inbox: true, mail: 'never' })
  })

  test(`notifications join the email that waits for the mail server (${engine})`, async () => {
    const { people, say, send } = await setUp(engine)
    await say(`<@${people.member}>`)
    clock.advance(3 * MINUTE)
    server.refuse(1)
    await send()
    await say(`<@${people.member}>, again`)
    clock.advance(3 * MINUTE)
    await send()
    assert.match(header(await server.next(), 'Subject'), /^2 notifications/)
    await send()
    assertNoEmail()
  })
}
