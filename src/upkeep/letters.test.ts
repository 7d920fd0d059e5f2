import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Engine } from '#core/tx.ts'
import { deleteWorkspace } from '#identity/deletion.ts'
import { openMail } from '#mail/open.ts'
import { removeMember } from '#resources/members/membership.ts'
import { openStore } from '#storage/open.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES, log } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { mailServer, type Taken } from '#test/support/mail.ts'
import { sessionOf } from '#test/support/session.ts'
import { sendLetters } from './letters.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const server = await mailServer()
const mail = openMail({ url: server.url, from: 'docket@example.com' }, log)
after(async () => {
  await mail.close()
  await server.close()
})

const clock = createTestClock()

async function setUp(engine: Engine) {
  const { storage, server: docket, config } = await freshDocket(engine, {}, { clock })
  const home = await newHome(storage)
  const { people, keys } = home
  const ask = async (who: keyof typeof keys, address: string, body: object) => {
    const [method = '', url = ''] = address.split(' ')
    const internal = url.startsWith('/internal/')
    const reply = await docket.inject({
      method: method as 'POST',
      url,
      headers: {
        ...(internal
          ? (await sessionOf(storage, home, who, config.baseUrl)).headers
          : { authorization: `Bearer ${keys[who]}` }),
        'content-type': 'application/json',
      },
      payload: JSON.stringify(body),
    })
    assert.ok(reply.statusCode < 300, `${address}: ${reply.body}`)
    return reply.json()
  }
  const task = await ask('owner', 'POST /api/v1/tasks', {
    ...{ project_id: home.project, title: 'Ship <it> & go' },
  })
  const say = (body: string) => ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body })
  const send = sendLetters({ storage, mail, baseUrl: config.baseUrl, log })
  const post = (url: string, payload = 'List-Unsubscribe=One-Click') => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return docket.inject({ method: 'POST', url, headers, payload })
  }
  return { storage, docket, config, home, people, ask, task, say, send, post }
}

const header = ({ text }: Taken, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'mi').exec(text)?.[1] ?? assert.fail(`${name} of ${text}`)

const none = () => assert.equal(server.count(), 0)

for (const engine of ENGINES) {
  test(`what is told within minutes goes by one mail, once (${engine})`, async () => {
    const { storage, config, people, ask, task, say, send } = await setUp(engine)
    await say(`<@${people.member}>, look`)
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { assignee_ids: [people.member] })
    await send()
    none()
    clock.advance(3 * MINUTE)
    server.refuse(1)
    await send()
    none()
    clock.advance(10 * MINUTE)
    // Several processes find the letter at the same moment.
    const other = engine === 'postgres' ? (await openStore({ ...config, clock })).storage : storage
    const sends = [send, sendLetters({ storage: other, mail, baseUrl: config.baseUrl, log })]
    await Promise.all(sends.map((one) => one()))
    const got = await server.next()
    await Promise.all(sends.map((one) => one()))
    clock.advance(DAY)
    await Promise.all(sends.map((one) => one()))
    none()
    if (other !== storage) await other.close()
    assert.match(header(got, 'Subject'), /^2 notifications in Test/)
    assert.match(
      got.text,
      /The owner named you\nENG-1 Ship <it> & go\nhttp:\/\/127\.0\.0\.1:4000\/w\//,
    )
    assert.match(got.text, /ENG-1 Ship &lt;it&gt; &amp; go<\/a>/)
    assert.equal(header(got, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  })

  test(`a server that takes no mail gets it later, under the same id (${engine})`, async () => {
    const { storage, config, people, say, send } = await setUp(engine)
    await say(`<@${people.member}>`)
    clock.advance(3 * MINUTE)
    server.refuse(1)
    await send()
    await send()
    none()
    clock.advance(10 * MINUTE)
    // This process dies after the server took the mail, and before that is written down.
    let id = ''
    const died = new Promise<void>((resolve) => {
      const dying = {
        async post(letter: Parameters<typeof mail.post>[0]) {
          await mail.post(letter)
          id = letter.id
          resolve()
          return new Promise<void>(() => {})
        },
      }
      void sendLetters({ storage, mail: dying, baseUrl: config.baseUrl, log })()
    })
    await died
    assert.equal(header(await server.next(), 'Message-ID'), `<${id}>`)
    await send()
    none()
    // Another one sends it once more: a mail program knows it by its id.
    clock.advance(30 * MINUTE)
    await send()
    assert.equal(header(await server.next(), 'Message-ID'), `<${id}>`)
    clock.advance(DAY)
    await send()
    none()
  })

  test(`a digest comes at the hour of its person (${engine})`, async () => {
    const { ask, task, say, send } = await setUp(engine)
    // The owner watches the task that it has made.
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
    none()
    clock.advance(4 * MINUTE)
    await send()
    const got = await server.next()
    assert.deepEqual(got.to.length, 1)
    assert.match(got.to[0] ?? '', /^member\./)
    assert.match(header(got, 'Subject'), /^2 notifications/)
    none()
  })

  test(`no mail tells what was read, cannot be seen, or is of a workspace left (${engine})`, async () => {
    const { storage, home, people, ask, task, say, send } = await setUp(engine)
    await say(`<@${people.member}> <@${people.admin}> <@${people.guest}>`)
    await ask('member', 'PATCH /internal/notifications', { read: true })
    const at = { ...NOBODY, workspace_id: home.workspace }
    await storage.write(at, (tx) => removeMember(tx, people.guest))
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { project_id: home.hidden })
    clock.advance(3 * MINUTE)
    await send()
    assert.match((await server.next()).to.join(), /^admin\./)
    none()
  })

  test(`a workspace that is deleted mails nobody (${engine})`, async () => {
    const { storage, home, people, say, send } = await setUp(engine)
    await say(`<@${people.member}>`)
    const by = { ...NOBODY, role: 'owner' as const, workspace_id: home.workspace }
    await storage.write({ ...by, user_id: people.owner }, deleteWorkspace)
    clock.advance(3 * MINUTE)
    await send()
    none()
  })

  test(`mails end by one click, and not by looking at the link (${engine})`, async () => {
    const { docket, people, ask, say, send, post } = await setUp(engine)
    await say(`<@${people.member}>`)
    clock.advance(3 * MINUTE)
    await send()
    const url = /<(.*)>/.exec(header(await server.next(), 'List-Unsubscribe'))?.[1] ?? ''
    const path = new URL(url).pathname
    const looked = await docket.inject({ url: path })
    assert.match(looked.body, /<form method="post">/)
    assert.equal((await post(`${path.slice(0, -2)}AA`)).statusCode, 404)
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
    none()
    const wishes = await ask('member', 'PATCH /internal/notification-settings', {})
    assert.deepEqual(wishes.kinds.mentioned, { inbox: true, mail: 'never' })
  })
}
