import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { purgeExpiredRows } from '#jobs/purges.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import { createPushJobs } from '#server/jobs.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { SCOPES } from '#wire/scopes.ts'
import { createPushJob } from './push-job.ts'
import { openVapidKeys } from './vapid.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A push service on the loopback interface, and a browser that reads what it got. */
async function startPushService() {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const received: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const answers: { status: number; headers?: Record<string, string> }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      received.push({ path, headers, body: Buffer.concat(chunks) })
      const answer = answers.shift() ?? { status: 201 }
      response.writeHead(answer.status, answer.headers).end('planted')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  /** What a browser does with a message (RFC 8291 §3, RFC 8188 §2). */
  function decrypt(body: Buffer): string {
    const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 86)]
    const derive = (key: Buffer, from: Buffer, info: Buffer, length: number) =>
      Buffer.from(hkdfSync('sha256', key, from, info, length))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
    const secret = derive(browser.computeSecret(sender), auth, info, 32)
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const opened = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(body.subarray(-16))
    const text = Buffer.concat([opened.update(body.subarray(86, -16)), opened.final()])
    assert.equal(text.at(-1), 2, 'the padding delimiter of the last record')
    return text.subarray(0, -1).toString()
  }

  return {
    received,
    answers,
    subscription: (path = '/one') => ({
      endpoint: `http://127.0.0.1:${port}${path}`,
      expirationTime: null,
      keys: {
        p256dh: browser.getPublicKey('base64url'),
        auth: auth.toString('base64url'),
      },
    }),
    /** The messages since the last call. */
    take() {
      return received.splice(0).map(({ path, headers, body }) => ({
        path,
        headers,
        message: JSON.parse(decrypt(body)),
      }))
    },
  }
}

const expireSessions = unscopedCommand((db, $: { at: string }) =>
  db.updateTable('sessions').set({ expires_at: $.at, last_used_at: $.at }),
)

const requireSecondFactor = unscopedCommand((db, $: { id: string; requires: number }) =>
  db.updateTable('workspaces').set({ requires_second_factor: $.requires }).where('id', '=', $.id),
)

const waitingPushes = unscopedQuery((db, $: { in_workspace: string }) =>
  db
    .selectFrom('jobs')
    .select('id')
    .where('workspace_id', '=', $.in_workspace)
    .where('kind', '=', 'push')
    .where('ended_at', 'is', null),
)

const securityEmails = unscopedQuery((db) =>
  db.selectFrom('jobs').select('payload').where('kind', '=', 'security_email'),
)

interface SetUpOptions {
  isCopy?: boolean
  /** Takes the place of the sender, which waits for a push service for seconds. */
  send?: Parameters<typeof createPushJob>[0]['send']
  env?: Record<string, string>
  log?: typeof testLog
}

async function setUp(
  engine: DatabaseEngine,
  { isCopy = false, send, env = {}, log = testLog }: SetUpOptions = {},
) {
  const clock = createTestClock()
  // At noon in Zurich, so that no test meets the end of a day.
  clock.set(Date.parse('2099-06-15T10:00:00.000Z'))
  const { storage, server, config } = await openFreshDocket(engine, env, { clock })
  const team = await createTestWorkspace(storage)
  const email = await setTestPassword(storage, team, 'member')
  const member = createCookieClient(server)
  const signIn = () => member.send('POST /internal/session', { email, password: TEST_PASSWORD })
  assert.equal(describeReply(await signIn()), '201')
  const keys = await openVapidKeys(storage)
  const pushes = createPushJobs(config, keys, async () => isCopy)
  after(pushes.close)
  const { baseUrl } = config
  const worker = createJobWorker({
    storage,
    kinds: send
      ? [createPushJob({ keys, baseUrl, send, isCopy: async () => isCopy })]
      : pushes.kinds,
    log,
  })
  const runJobs = async (ms = 0) => {
    clock.advance(ms)
    while ((await worker.runDueJobs()) > 0);
  }
  const { send: asOwner } = createTestClient({ storage, server, config }, team)
  const createTask = async (title: string): Promise<string> =>
    (await asOwner('POST /api/v1/tasks', { project_id: team.project, title })).id
  const task = await createTask('Ship it')
  const mention = (id = task) =>
    asOwner(`POST /api/v1/tasks/${id}/comments`, { body: `<@${team.people.member}>, look` })
  const service = await startPushService()
  /** Mentions the member, and returns how many messages the push service has got a minute later. */
  const countPushes = async () => {
    await mention()
    await runJobs(MINUTE)
    return service.take().length
  }
  const expect = async (line: string, status: string, body?: unknown) =>
    assert.equal(describeReply(await member.send(line, body)), status, line)
  const turnOn = (path?: string) => expect('PUT /internal/push', '204', service.subscription(path))
  const listDevices = async () => {
    const { body } = await member.send('GET /internal/push')
    return body as { public_key: string; devices: { id: string; current: boolean }[] }
  }
  return {
    ...{ clock, storage, server, config, team, member, createTask, service },
    ...{ signIn, runJobs, mention, countPushes, expect, turnOn, listDevices },
  }
}

for (const engine of ENGINES) {
  test(`pushes a notification to the device of a person, encrypted and signed (${engine})`, async () => {
    const { runJobs, mention, turnOn, listDevices, service, team } = await setUp(engine)
    await mention()
    await turnOn()
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [], 'nothing of what was before')
    await mention()
    await runJobs(4 * SECOND)
    assert.deepEqual(service.take(), [], 'a page in sight may still show it')
    await runJobs(SECOND)
    const [push, ...others] = service.take()
    assert.deepEqual(others, [])
    assert.deepEqual(push?.message, {
      web_push: 8030,
      notification: {
        title: 'The owner mentioned you',
        body: 'ENG-1 Ship it',
        navigate: `http://127.0.0.1:4000/w/${team.workspace}/t/ENG-1`,
        tag: push?.message.notification.tag,
        lang: 'en',
      },
      app_badge: 1,
    })
    const { headers } = push
    const { ttl, urgency } = headers
    assert.deepEqual([headers['content-encoding'], ttl, urgency], ['aes128gcm', '86400', 'high'])
    const { public_key, devices } = await listDevices()
    assert.match(headers.authorization ?? '', new RegExp(`^vapid t=[\\w.-]+, k=${public_key}$`))
    assert.deepEqual(
      devices.map(({ current }) => current),
      [true],
    )
    await runJobs(DAY)
    assert.deepEqual(service.take(), [], 'once')
  })

  test(`pushes that a program asks for an approval, until it is decided (${engine})`, async () => {
    const { storage, server, team, createTask, turnOn, runJobs, expect, service } =
      await setUp(engine)
    await turnOn()
    const { api_key } = await storage.write(
      { ...ANONYMOUS_ACTOR, workspace_id: team.workspace },
      (tx) =>
        createApiKey(tx, {
          user_id: team.people.member,
          name: 'Agent',
          scopes: SCOPES,
          expires_at: null,
          supervision: {
            deletions: true,
            moves: false,
            webhooks: false,
            members: false,
            records_per_request: null,
            records_per_hour: null,
          },
        }),
    )
    const remove = async () => {
      const reply = await server.inject({
        method: 'DELETE',
        url: `/api/v1/tasks/${await createTask('Old')}`,
        headers: { authorization: `Bearer ${api_key}` },
      })
      assert.equal(reply.statusCode, 202)
      return String(reply.json().id)
    }
    const id = await remove()
    await runJobs(MINUTE)
    const [push, ...others] = service.take()
    assert.deepEqual(others, [])
    assert.deepEqual(push?.message.notification, {
      title: 'Agent asks for your approval',
      body: '1 record affected',
      navigate: `http://127.0.0.1:4000/w/${team.workspace}/approvals/${id}`,
      tag: id,
      lang: 'en',
    })
    assert.equal(push.headers.urgency, 'high')
    await expect(`POST /internal/approvals/${await remove()}/refuse`, '200', {})
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [])
  })

  test(`pushes nothing that is read, or that a page in sight has shown (${engine})`, async () => {
    const { runJobs, mention, turnOn, expect, service } = await setUp(engine)
    await turnOn()
    await mention()
    await expect('DELETE /internal/push/waiting', '204')
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [])
    await mention()
    await expect('PATCH /internal/notifications', '200', { read: true })
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [])
  })

  test(`holds what comes in quiet hours, and then sums it up (${engine})`, async () => {
    const { clock, runJobs, mention, createTask, turnOn, expect, member, service, countPushes } =
      await setUp(engine)
    await turnOn()
    const settings = 'PATCH /internal/notification-settings'
    const quiet_hours = { from: 12, to: 7 }
    const refused = await member.send(settings, { quiet_hours: { from: 7, to: 7 } })
    assert.equal(describeReply(refused), '422 validation_failed')
    await expect(settings, '200', { quiet_hours })
    await mention()
    await mention(await createTask('Test it'))
    await runJobs(18 * HOUR)
    assert.deepEqual(service.take(), [], 'six in the morning')
    await runJobs(HOUR)
    assert.equal(new Date(clock.now()).toISOString(), '2099-06-16T05:00:00.000Z')
    assert.deepEqual(
      service.take().map(({ message }) => [message.notification.title, message.app_badge]),
      [['You have 2 unread notifications', 2]],
    )
    // In the morning nothing is held; without quiet hours, nothing ever is.
    assert.equal(await countPushes(), 1)
    await expect(settings, '200', { quiet_hours: null })
    clock.advance(10 * HOUR)
    assert.equal(await countPushes(), 1)
  })

  test(`the oldest of more than five devices of a person ends (${engine})`, async () => {
    const { server, team, storage, service, runJobs, mention } = await setUp(engine)
    const email = await setTestPassword(storage, team, 'member')
    for (let at = 0; at < 6; at += 1) {
      const browser = createCookieClient(server)
      await browser.send('POST /internal/session', { email, password: TEST_PASSWORD })
      const put = await browser.send('PUT /internal/push', service.subscription(`/${at}`))
      assert.equal(describeReply(put), '204')
    }
    await mention()
    await runJobs(MINUTE)
    assert.deepEqual(
      service
        .take()
        .map(({ path }) => path)
        .toSorted(),
      ['/1', '/2', '/3', '/4', '/5'],
    )
  })

  test(`repeats a failed push when the service wants it, and forgets a device that is gone (${engine})`, async () => {
    const { runJobs, mention, turnOn, listDevices, expect, service, countPushes } =
      await setUp(engine)
    await turnOn()
    await mention()
    service.answers.push({ status: 429, headers: { 'retry-after': '1800' } }, { status: 503 })
    await runJobs(MINUTE)
    assert.equal(service.take().length, 1)
    await runJobs(29 * MINUTE)
    assert.deepEqual(service.take(), [], 'not before the time of Retry-After')
    await runJobs(MINUTE)
    assert.equal(service.take().length, 1)
    await runJobs(4 * MINUTE)
    assert.deepEqual(service.take(), [])
    await runJobs(MINUTE)
    assert.equal(service.take().length, 1)
    await runJobs(DAY)
    assert.deepEqual(service.take(), [])
    await expect('POST /internal/session/confirmation', '204', { current_password: TEST_PASSWORD })
    for (const status of [404, 410]) {
      await turnOn()
      service.answers.push({ status })
      assert.equal(await countPushes(), 1)
      assert.deepEqual((await listDevices()).devices, [])
    }
    assert.equal(await countPushes(), 0)
  })

  test(`a device ends with its session, unless a session of its browser takes it over (${engine})`, async () => {
    const {
      storage,
      runJobs,
      mention,
      turnOn,
      signIn,
      expect,
      listDevices,
      member,
      service,
      countPushes,
    } = await setUp(engine)
    await turnOn()
    // Signing in again continues the former session of the browser.
    assert.equal(describeReply(await signIn()), '201')
    assert.deepEqual(
      (await listDevices()).devices.map(({ current }) => current),
      [true],
    )
    const expire = async () => {
      await storage.write(ANONYMOUS_ACTOR, async (tx) => {
        await tx.run(expireSessions, { at: '2020-01-01T00:00:00.000Z' })
        await bumpAuthVersion(tx)
      })
      // The cache of sessions lasts for a moment.
      await waitUntil('the end of the session', async () => {
        const { status } = await member.send('GET /internal/push')
        return status === 401
      })
    }
    await expire()
    assert.equal(await countPushes(), 0, 'the session has expired')
    assert.equal(describeReply(await signIn()), '201')
    assert.equal(await countPushes(), 1, 'the next session has taken it over')
    await expire()
    const purge = purgeExpiredRows(storage)
    while (await purge());
    assert.equal(describeReply(await signIn()), '201')
    assert.deepEqual((await listDevices()).devices, [])
    await turnOn()
    await mention()
    await expect('DELETE /internal/session', '204')
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [])
    assert.equal(await countPushes(), 0)
  })

  test(`a device gets nothing while its session lacks the second factor of the workspace (${engine})`, async () => {
    const { storage, team, turnOn, countPushes } = await setUp(engine)
    await turnOn()
    const setPolicy = (requires: number) =>
      storage.write(ANONYMOUS_ACTOR, (tx) =>
        tx.run(requireSecondFactor, { id: team.workspace, requires }),
      )
    await setPolicy(1)
    assert.equal(await countPushes(), 0)
    await setPolicy(0)
    assert.equal(await countPushes(), 1)
  })

  test(`a device is lasting access: confirmed, told by email, listed and ended (${engine})`, async () => {
    const { clock, storage, turnOn, expect, member, service, countPushes } = await setUp(engine, {
      env: { DOCKET_SMTP_URL: 'smtp://127.0.0.1:9', DOCKET_MAIL_FROM: 'docket@example.com' },
    })
    const put = service.subscription()
    clock.advance(16 * MINUTE)
    await expect('PUT /internal/push', '403 sign_in_again', put)
    await expect('POST /internal/session/confirmation', '204', { current_password: TEST_PASSWORD })
    await expect('PUT /internal/push', '204', put)
    // The same browser again is nothing new.
    await turnOn()
    const told = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(securityEmails, {}))
    assert.deepEqual(
      told.map(({ payload }) => JSON.parse(payload).change),
      ['push_device_added'],
    )
    const readAccess = async () => {
      const { body } = await member.send('GET /internal/account/access')
      const data = body.data as { id: string; kind: string; last_used_at: string | null }[]
      return data.filter(({ kind }) => kind === 'push_device')
    }
    const [listed] = await readAccess()
    assert.equal(listed?.last_used_at, null)
    assert.equal(await countPushes(), 1)
    const [used] = await readAccess()
    assert.equal(used?.last_used_at, new Date(clock.now()).toISOString())
    await expect(`DELETE /internal/account/access/${listed?.id}`, '204')
    assert.deepEqual(await readAccess(), [])
    assert.equal(await countPushes(), 0)
  })

  test(`one job of a device sends whatever is new (${engine})`, async () => {
    const { storage, team, runJobs, mention, createTask, turnOn, expect, service } =
      await setUp(engine)
    await turnOn()
    const countJobs = async () =>
      (
        await storage.read(ANONYMOUS_ACTOR, (tx) =>
          tx.all(waitingPushes, { in_workspace: team.workspace }),
        )
      ).length
    const other = await createTask('Test it')
    for (let n = 0; n < 3; n += 1) await mention()
    assert.equal(await countJobs(), 1)
    await runJobs(4 * SECOND)
    await mention(other)
    await runJobs(SECOND)
    const titles = () => service.take().map(({ message }) => message.notification.title)
    assert.deepEqual(titles(), ['You have 2 unread notifications'], 'later ones delay nothing')
    assert.equal(await countJobs(), 0)
    for (let n = 0; n < 2; n += 1) await mention()
    await runJobs(MINUTE)
    assert.deepEqual(titles(), ['The owner mentioned you'], 'both are about one task')
    await mention()
    await expect('DELETE /internal/push/waiting', '204')
    await mention(other)
    await runJobs(MINUTE)
    assert.deepEqual(titles(), ['The owner mentioned you'], 'a page in sight has shown the first')
  })

  test(`people turn off their own devices only (${engine})`, async () => {
    const { storage, server, team, turnOn, expect, listDevices, countPushes } = await setUp(engine)
    await turnOn()
    const [device] = (await listDevices()).devices
    const admin = createCookieClient(server)
    const email = await setTestPassword(storage, team, 'admin')
    await admin.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const off = `DELETE /internal/push/${device?.id}`
    assert.equal(describeReply(await admin.send(off)), '404 not_found')
    assert.deepEqual((await admin.send('GET /internal/push')).body.devices, [])
    await expect(off, '204')
    await expect(off, '404 not_found')
    assert.equal(await countPushes(), 0)
  })

  test(`a renewed address replaces that of a device that is on (${engine})`, async () => {
    const { runJobs, mention, turnOn, expect, listDevices, service } = await setUp(engine)
    await turnOn('/old')
    const renew = (to: string, from: string) => ({
      ...service.subscription(to),
      replaces: service.subscription(from).endpoint,
    })
    await expect('PUT /internal/push', '404 not_found', renew('/new', '/other'))
    await expect('PUT /internal/push', '204', renew('/new', '/old'))
    await mention()
    await runJobs(MINUTE)
    assert.deepEqual(
      service.take().map(({ path }) => path),
      ['/new'],
    )
    const [device] = (await listDevices()).devices
    await expect(`DELETE /internal/push/${device?.id}`, '204')
    await expect('PUT /internal/push', '404 not_found', renew('/newer', '/new'))
    assert.deepEqual((await listDevices()).devices, [])
  })

  // What follows depends on times, addresses and replies alone.
  if (engine !== 'sqlite') continue

  test(`a page in sight leaves the summary of quiet hours (${engine})`, async () => {
    const { runJobs, mention, turnOn, expect, service } = await setUp(engine)
    await turnOn()
    await expect('PATCH /internal/notification-settings', '200', {
      quiet_hours: { from: 12, to: 13 },
    })
    await mention()
    await expect('DELETE /internal/push/waiting', '204')
    await runJobs(HOUR)
    assert.equal(service.take().length, 1)
  })

  test(`holds what is repeated or late in quiet hours, and gives up after the next ones (${engine})`, async () => {
    const { clock, runJobs, mention, turnOn, expect, service } = await setUp(engine)
    await turnOn()
    await expect('PATCH /internal/notification-settings', '200', {
      quiet_hours: { from: 13, to: 14 },
    })
    await mention()
    service.answers.push({ status: 429, headers: { 'retry-after': '3600' } })
    await runJobs(MINUTE)
    assert.equal(service.take().length, 1)
    await runJobs(HOUR)
    assert.deepEqual(service.take(), [], 'the repetition comes in quiet hours')
    await runJobs(59 * MINUTE)
    assert.equal(new Date(clock.now()).toISOString(), '2099-06-15T12:00:00.000Z')
    assert.equal(service.take().length, 1)
    clock.advance(22.5 * HOUR)
    await mention()
    // No process runs jobs until the quiet hours.
    await runJobs(45 * MINUTE)
    assert.deepEqual(service.take(), [], 'late')
    service.answers.push(...Array.from({ length: 100 }, () => ({ status: 500 })))
    for (let hours = 0; hours < 23; hours += 1) await runJobs(HOUR)
    assert.ok(service.take().length > 10)
    for (let hours = 0; hours < 48; hours += 1) await runJobs(HOUR)
    assert.ok(service.take().length < 3, 'given up')
  })

  test(`a device that does not answer rests for an hour, and goes after a day (${engine})`, async () => {
    const sent: string[] = []
    const clockText = () => new Date(clock.now()).toISOString().slice(11, 16)
    const { clock, runJobs, mention, turnOn, listDevices } = await setUp(engine, {
      async send() {
        sent.push(clockText())
        return { status: null, body: null, error: 'timeout', duration_ms: 5_000, retry_after: null }
      },
    })
    await turnOn()
    for (const minutes of [...Array<number>(22).fill(1), 59, 1, 59, 1, 59]) {
      await mention()
      await runJobs(minutes * MINUTE)
    }
    assert.deepEqual(sent, ['10:01', '10:02', '10:07', '10:22', '11:22', '12:22'])
    for (let hours = 0; hours < 18; hours += 1) await runJobs(HOUR)
    assert.equal((await listDevices()).devices.length, 1)
    for (let hours = 0; hours < 4; hours += 1) await runJobs(HOUR)
    assert.deepEqual((await listDevices()).devices, [])
    assert.ok(sent.length < 30)
  })

  test(`logs where a push has failed, and nothing that was answered (${engine})`, async () => {
    const lines: object[] = []
    const warn = (about: object) => void lines.push(about)
    const { runJobs, mention, turnOn, service } = await setUp(engine, {
      log: { ...testLog, warn },
    })
    await turnOn()
    service.answers.push({ status: 403 })
    await mention()
    await runJobs(MINUTE)
    const [line = {}] = lines
    const { origin } = new URL(service.subscription().endpoint)
    assert.deepEqual(
      ['kind', 'origin', 'status', 'again'].map(
        (name) => Object.entries(line).find(([key]) => key === name)?.[1],
      ),
      ['push', origin, 403, false],
    )
    assert.doesNotMatch(JSON.stringify(lines), /planted|\/one/)
  })

  test(`refuses addresses of inner networks, and keys that are none (${engine})`, async () => {
    const { expect, service, member } = await setUp(engine)
    const good = service.subscription()
    const cases = [
      { ...good, endpoint: 'https://10.0.0.1/push' },
      { ...good, endpoint: 'https://169.254.169.254/latest' },
      { ...good, endpoint: 'https://push.example.net:0/' },
      { ...good, endpoint: 'ftp://push.example.net/' },
      { ...good, keys: { ...good.keys, p256dh: `${good.keys.p256dh}x` } },
      { ...good, keys: { p256dh: good.keys.p256dh } },
    ]
    for (const body of cases) await expect('PUT /internal/push', '422 validation_failed', body)
    const { body } = await member.send('PUT /internal/push', cases[0])
    assert.match(JSON.stringify(body), /"field":"endpoint".*"url_not_allowed"/)
  })

  test(`a copy of an installation, and a removed member, push nothing (${engine})`, async () => {
    const copy = await setUp(engine, { isCopy: true })
    await copy.turnOn()
    await copy.mention()
    await copy.runJobs(MINUTE)
    assert.deepEqual(copy.service.take(), [])
    const { server, team, runJobs, mention, turnOn, service, storage } = await setUp(engine)
    await turnOn()
    await mention()
    const owner = createCookieClient(server)
    const email = await setTestPassword(storage, team, 'owner')
    await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const removed = await owner.send(`DELETE /internal/members/${team.people.member}`)
    assert.equal(describeReply(removed), '204')
    await runJobs(MINUTE)
    assert.deepEqual(service.take(), [])
  })
}
