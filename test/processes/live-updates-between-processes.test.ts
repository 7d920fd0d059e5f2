import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { type LiveConnection, openLiveStream } from '../support/server/live-stream.ts'
import { endServer, type ServerProcess, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { RECEIVER_SECRET, startVerifyingReceiver } from '../support/webhooks/verifying-receiver.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/**
 * Every 30 seconds a server records the use of API keys, and then finds pending events as well.
 * This is shorter, so of several deliveries in a row not all can come that way.
 */
const DELIVERY_TIMEOUT_MS = 25_000
/** The number of writes through both servers, and how many of them run concurrently. */
const [WRITE_COUNT, CONCURRENCY] = [80, 16]

let admin: pg.Client
let team: TestWorkspace
let headers: Record<string, string>
let databaseUrl: string
const running: ServerProcess[] = []
const liveConnections: LiveConnection[] = []
const [A, B, WITHOUT_LISTEN] = [0, 1, 2]

before(async () => {
  const database = await createMigratedDatabase()
  admin = database.admin
  databaseUrl = database.url
  const env = { DOCKET_DATABASE_URL: databaseUrl }
  const { storage } = await openTestDocket('postgres', env)
  team = await createTestWorkspace(storage)
  headers = (await createTestSession(storage, team, 'owner')).headers
  const withoutListen = { ...env, DOCKET_DATABASE_LISTEN_URL: 'postgres://127.0.0.1:9/nothing' }
  // Without the periodic scan these servers send only what they are notified of.
  const options = { tickMs: 1_000_000_000 }
  running.push(
    ...(await Promise.all(
      [env, env, withoutListen].map((one) => startServer(createTempDir(), { env: one, options })),
    )),
  )
  for (const at of [A, B]) await waitUntil('a link', () => isLinked(at))
})
after(async () => {
  for (const live of liveConnections) live.close()
  await Promise.all(running.map((server) => endServer(server, 'SIGKILL')))
})

const portOf = (at: number) => running[at]?.port ?? 0

async function connectLive(at: number): Promise<LiveConnection> {
  const live = await openLiveStream(portOf(at), headers)
  assert.equal(live.reply.statusCode, 200)
  liveConnections.push(live)
  return live
}

async function write(at: number, path = 'tasks', body: object = task(team)): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${portOf(at)}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const record = (await reply.json()) as { id: string }
  assert.equal(reply.status, 201, JSON.stringify(record))
  return record.id
}

const task = ({ project }: TestWorkspace) => ({ project_id: project, title: 'Ship it' })

const isLinked = async (at: number) => /^docket_notices_linked 1$/m.test(await readMetrics(at))

async function readMetrics(at: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${portOf(at)}/metrics`)).text()
}

/** What hints are sent about: the feed of changes has no webhooks. */
const createWebhook = (at: number): Promise<string> =>
  write(at, 'webhooks', { url: 'https://example.com/', events: ['tag.created'] })

const receivedIds = (live: LiveConnection) => live.news().map(({ data }) => data.id)

/** The hints without a noun: some may have been missed. */
const countMissed = (live: LiveConnection) =>
  live.news().filter(({ event, data }) => event === 'stale' && data.noun === undefined).length

/**
 * Writes one after the other, each once the page has heard of the one before. The feed is read every five
 * seconds anyway, so each but the first would take as long; a busy machine is slow now and then.
 */
async function expectSoonerThanReads(live: LiveConnection, at: number, count: number) {
  const times: number[] = []
  for (let turn = 0; turn <= count; turn += 1) {
    const before = performance.now()
    await live.waitForRecord(await write(at))
    times.push(performance.now() - before)
  }
  const later = times.slice(1).toSorted((a, b) => a - b)
  assert.ok((later[Math.floor(count / 2)] ?? 0) < 4_000, times.join())
}

test('a page of one server learns of each write through another', async () => {
  const live = await connectLive(B)
  await expectSoonerThanReads(live, A, 5)
  await live.waitForRecord(await createWebhook(A))
  assert.equal(countMissed(live), 0)
})

test('concurrent writes through both servers arrive completely', async () => {
  const [onA, onB] = [await connectLive(A), await connectLive(B)]
  const written: string[] = []
  let left = WRITE_COUNT
  const writing = async (_: unknown, at: number) => {
    for (; left > 0; left -= 1) written.push(await write(at % 2 === 0 ? A : B))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, writing))
  for (const live of [onA, onB]) {
    await waitUntil(live.text, () => new Set(written).isSubsetOf(new Set(receivedIds(live))))
    assert.equal(countMissed(live), 0)
  }
})

test('a server recovers after its LISTEN connection is cut, and assumes that hints were lost', async () => {
  const live = await connectLive(B)
  const cut =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docket-channel'"
  await admin.query(`${cut} and datname = current_database()`)
  await live.waitForRecord(await write(A))
  await waitUntil(live.text, () => countMissed(live) > 0)
  for (const at of [A, B]) await waitUntil('a link', () => isLinked(at))
  const missed = countMissed(live)
  const id = await createWebhook(A)
  // The hint that some may be lost stands for those that wait with it.
  await waitUntil(live.text, () => receivedIds(live).includes(id) || countMissed(live) > missed)
})

test('a server without notifications finds changes of others, and now and then assumes missed hints', async () => {
  const [withoutListen, live] = [await connectLive(WITHOUT_LISTEN), await connectLive(A)]
  assert.match(await readMetrics(WITHOUT_LISTEN), /^docket_notices_linked 0$/m)
  await withoutListen.waitForRecord(await createWebhook(WITHOUT_LISTEN))
  await live.waitForRecord(await write(WITHOUT_LISTEN))
  await expectSoonerThanReads(withoutListen, A, 3)
  const missed = countMissed(withoutListen)
  await waitUntil(withoutListen.text, () => countMissed(withoutListen) > missed)
  assert.match(await readMetrics(WITHOUT_LISTEN), /^docket_notices_resets_total [1-9]/m)
})

test('a page learns of writes of the command line', async () => {
  const live = await connectLive(B)
  const { storage } = await openTestDocket('postgres', { DOCKET_DATABASE_URL: databaseUrl })
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, async (tx) =>
    tx.noteChange({ noun: 'template', id: 'tpl_1', project_id: team.project }),
  )
  await live.waitForRecord('tpl_1')
})

test('a write through one server starts the delivery in another one at once', async (t) => {
  // As the sender, a server without notifications would not learn of the write.
  for (const server of running.splice(WITHOUT_LISTEN)) await endServer(server, 'SIGTERM')
  const webhookReceiver = await startVerifyingReceiver()
  t.after(() => webhookReceiver.close())
  const hook = {
    url: webhookReceiver.urlOf('hook'),
    events: ['*'],
    secret: RECEIVER_SECRET,
  }
  await write(A, 'webhooks', hook)
  await write(A)
  await waitUntil('the first', () => webhookReceiver.arrivals.length === 1)
  // One of them is the sender; the others notify it.
  for (const at of [A, B, A, B, A, B, A, B]) {
    const before = webhookReceiver.arrivals.length
    await write(at)
    await waitUntil(
      'a delivery',
      () => webhookReceiver.arrivals.length > before,
      DELIVERY_TIMEOUT_MS,
    )
  }
})
