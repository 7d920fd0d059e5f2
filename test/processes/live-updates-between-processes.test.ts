import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
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
const [WRITE_COUNT, CONCURRENCY] = [200, 16]

let admin: pg.Client
let team: TestWorkspace
let headers: Record<string, string>
const running: ServerProcess[] = []
const liveConnections: LiveConnection[] = []
const [A, B, WITHOUT_LISTEN] = [0, 1, 2]

before(async () => {
  const database = await createMigratedDatabase()
  admin = database.admin
  const env = { DOCKET_DATABASE_URL: database.url }
  const { storage } = await openTestDocket('postgres', env)
  team = await createTestWorkspace(storage)
  headers = (await createTestSession(storage, team, 'owner')).headers
  const withoutListen = { ...env, DOCKET_DATABASE_LISTEN_URL: 'postgres://127.0.0.1:9/nothing' }
  // Without the periodic scan these servers send only what they are notified of.
  const entry = 'test/support/controls/no-polling.ts'
  running.push(
    ...(await Promise.all(
      [env, env, withoutListen].map((one) => startServer(createTempDir(), { env: one, entry })),
    )),
  )
  for (const at of [A, B]) await waitUntil('a link', () => isLinked(at))
})
after(async () => {
  for (const live of liveConnections) live.close()
  await Promise.all(running.map((server) => endServer(server, 'SIGKILL')))
})

const portOf = (at: number) => running[at]?.port ?? 0

async function connectLive(at: number, last?: string): Promise<LiveConnection> {
  const live = await openLiveStream(portOf(at), headers, last === undefined ? {} : { after: last })
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

/** What a live connection has received, without the heartbeats of one that is open for long. */
const receivedChanges = ({ events }: LiveConnection) =>
  events.filter(({ event }) => event !== 'heartbeat')
const receivedEvents = (live: LiveConnection) => receivedChanges(live).map(({ event }) => event)
const receivedIds = (live: LiveConnection) => receivedChanges(live).map(({ notice }) => notice.id)
const untilChanges = (live: LiveConnection, count: number) =>
  waitUntil(live.text, () => receivedChanges(live).length >= count)
const isLinked = async (at: number) => /^docket_notices_linked 1$/m.test(await readMetrics(at))

async function readMetrics(at: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${portOf(at)}/metrics`)).text()
}

/** Waits until a live connection has received a change of a record. */
const untilReceived = (live: LiveConnection, id: string) =>
  waitUntil(live.text, () => receivedIds(live).includes(id))

const countResets = (live: LiveConnection) =>
  receivedEvents(live).filter((event) => event === 'reset').length

test('a live connection to one server receives each write through another', async () => {
  const live = await connectLive(B)
  for (let count = 1; count <= 5; count += 1) await untilReceived(live, await write(A))
  // Changes without an event are sent too.
  const id = await write(A, `tasks/${receivedIds(live)[0]}/time-entries`, { duration_seconds: 60 })
  await untilReceived(live, id)
  // A `reset` would show that the server missed a change and detected that later.
  assert.deepEqual(new Set(receivedEvents(live)), new Set(['notice']))
})

test('a client reconnects to another server and misses no change', async () => {
  const before = await connectLive(B)
  const lastSeen = await write(A)
  await untilReceived(before, lastSeen)
  before.close()
  const missed = [await write(A), await write(B), await write(A)]
  const again = await connectLive(A, before.lastId())
  await untilChanges(again, 3)
  assert.deepEqual(receivedIds(again), missed)
  const back = await connectLive(B, before.lastId())
  await untilChanges(back, 3)
  assert.deepEqual(
    receivedChanges(back).map(({ id }) => id),
    receivedChanges(again).map(({ id }) => id),
  )
})

test('concurrent writes through both servers arrive completely and in one order', async () => {
  const [onA, onB] = [await connectLive(A), await connectLive(B)]
  const written: string[] = []
  let left = WRITE_COUNT
  const writing = async (_: unknown, at: number) => {
    for (; left > 0; left -= 1) written.push(await write(at % 2 === 0 ? A : B))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, writing))
  for (const live of [onA, onB]) {
    await untilChanges(live, written.length)
    assert.deepEqual(new Set(receivedEvents(live)), new Set(['notice']))
    assert.deepEqual(new Set(receivedIds(live)), new Set(written))
    const seqs = receivedChanges(live).map(({ notice }) => notice.seq)
    const first = seqs[0] ?? 0
    assert.deepEqual(
      seqs,
      Array.from(written, (_, at) => first + at),
    )
  }
  assert.deepEqual(receivedIds(onA), receivedIds(onB))
})

test('a server recovers after its LISTEN connection is cut', async () => {
  const live = await connectLive(B)
  const cut =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docket-channel'"
  await admin.query(`${cut} and datname = current_database()`)
  const id = await write(A)
  await waitUntil(live.text, () => receivedIds(live).includes(id) || countResets(live) > 0)
  for (const at of [A, B]) await waitUntil('a link', () => isLinked(at))
  await untilReceived(live, await write(A))
})

test('servers without notifications detect missed changes and send a reset', async () => {
  const [withoutListen, live] = [await connectLive(WITHOUT_LISTEN), await connectLive(A)]
  assert.match(await readMetrics(WITHOUT_LISTEN), /^docket_notices_linked 0$/m)
  const ownWrite = await write(WITHOUT_LISTEN)
  await untilReceived(withoutListen, ownWrite)
  await waitUntil(live.text, () => countResets(live) > 0)
  assert.ok(!receivedIds(live).includes(ownWrite))
  await write(A)
  await waitUntil(withoutListen.text, () => countResets(withoutListen) > 0)
  // A change after a missed one makes the gap visible.
  const before = countResets(withoutListen)
  await Promise.all([write(A), write(WITHOUT_LISTEN)])
  await waitUntil(withoutListen.text, () => countResets(withoutListen) > before)
  await untilReceived(withoutListen, await write(WITHOUT_LISTEN))
  assert.match(await readMetrics(WITHOUT_LISTEN), /^docket_notices_resets_total [1-9]/m)
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
