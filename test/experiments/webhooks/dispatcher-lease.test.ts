import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type pg from 'pg'
import { type Config, parseConfig } from '#config/config.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { DISPATCHER_LEASE_TTL_MS } from '#webhooks/dispatch/lease.ts'
import { findFinalDeliveryFaults } from '../../delivery/check-deliveries.ts'
import { createMigratedDatabase } from '../../support/engines/test-database.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { ReceiverBehavior } from '../../support/webhooks/receiver-behaviors.ts'
import {
  RECEIVER_SECRET,
  startVerifyingReceiver,
  type VerifyingReceiver,
} from '../../support/webhooks/verifying-receiver.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'

/** Shorter than waiting for the end of a lease would take. */
const BEFORE_LEASE_MS = DISPATCHER_LEASE_TTL_MS - 5_000

/** An unreachable address, so that no notifications are sent or received. */
const UNREACHABLE_URL = 'postgres://127.0.0.1:9/nothing'

type CleanupHooks = { after(undo: () => unknown): void }

/**
 * Starts servers on one store with two workspaces, and a receiver whose `manner` can be changed.
 */
async function setUp(t: CleanupHooks, servers: number, databaseUrl?: string) {
  const dataDir = createTempDir()
  const env = {
    DOCKET_WEBHOOK_RETRY_SECONDS: Array(50).fill('1').join(),
    ...(databaseUrl && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env })
  const { storage } = await openStore(config)
  const [team, otherHome] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  await storage.close()
  const sink: { manner: ReceiverBehavior } = { manner: 'ok' }
  const webhookReceiver = await startVerifyingReceiver(() => sink.manner)
  t.after(() => webhookReceiver.close())
  const launchServer = async () => {
    const server = await startServer(dataDir, { env })
    t.after(() => endServer(server, 'SIGKILL'))
    return server
  }
  const running: ServerProcess[] = []
  for (let at = 0; at < servers; at++) running.push(await launchServer())
  const body = { url: webhookReceiver.urlOf('hook'), events: ['*'], secret: RECEIVER_SECRET }
  for (const one of [team, otherHome]) await post(running[0], one, '/api/v1/webhooks', body)
  return {
    team,
    sink,
    webhookReceiver,
    running,
    launchServer,
    createTaskSilently: () => createTaskSilently(config, otherHome),
  }
}

/** Creates a task without a notification to any server. */
async function createTaskSilently(
  config: Config,
  { workspace, people, project }: TestWorkspace,
): Promise<void> {
  const { storage } = await openStore({ ...config, databaseListenUrl: UNREACHABLE_URL })
  const owner: Actor = {
    ...ANONYMOUS_ACTOR,
    workspace_id: workspace,
    type: 'user',
    role: 'owner',
    user_id: people.owner,
  }
  await storage.write(owner, (tx) =>
    createTaskFromInput(tx, { project_id: project, title: 'Nobody told' }),
  )
  await storage.close()
}

async function post(
  server: ServerProcess | undefined,
  { keys }: TestWorkspace,
  path: string,
  body: object,
) {
  const reply = await fetch(`http://127.0.0.1:${server?.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 201, await reply.text())
}

const task = (server: ServerProcess | undefined, team: TestWorkspace) =>
  post(server, team, '/api/v1/tasks', { project_id: team.project, title: 'Ship it' })

const countReceived = ({ received }: VerifyingReceiver) => received.size

test('a server started after a kill sends the pending deliveries at once', async (t) => {
  const { team, sink, webhookReceiver, running, launchServer } = await setUp(t, 1)
  const [server] = running
  sink.manner = 'hang'
  for (let count = 0; count < 5; count++) await task(server, team)
  await waitUntil('an attempt', () => webhookReceiver.arrivals.length > 0)
  if (server) await endServer(server, 'SIGKILL')
  sink.manner = 'ok'
  await launchServer()
  await waitUntil('what was owed', () => countReceived(webhookReceiver) === 5, BEFORE_LEASE_MS)
})

suite('two servers on one PostgreSQL', () => {
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`after ${signal} of one server the other takes over its deliveries when the lease expires`, async (t) => {
      const { url, admin } = await createMigratedDatabase()
      const { team, sink, webhookReceiver, running, createTaskSilently } = await setUp(t, 2, url)
      await task(running[0], team)
      await waitUntil('the first event', () => countReceived(webhookReceiver) === 1)
      const holder = await holderOf(running)
      const other = running.find((one) => one !== holder)
      sink.manner = 'hang'
      // Only one event: a second attempt might arrive after the receiver answers again.
      await task(other, team)
      await waitUntil('the attempt that hangs', () => webhookReceiver.arrivals.length === 2)
      holder?.child.kill(signal)
      // As if it were renewed until much later, so that it does not expire on a slow machine.
      const muchLater = new Date(Date.now() + 8 * DISPATCHER_LEASE_TTL_MS).toISOString()
      const setLeaseEnd = 'update dispatchers set alive_until = $1 where id = $2'
      await admin.query(setLeaseEnd, [muchLater, await holderIn(admin, team)])
      const sent = webhookReceiver.arrivals.length
      sink.manner = 'ok'
      for (let count = 0; count < 3; count++) await task(other, team)
      // The holder may have claimed the other workspace too when both servers started.
      const release = 'update workspaces set dispatcher_id = null where id <> $1'
      await admin.query(release, [team.workspace])
      // Only a scan of all workspaces finds these events. When the second one arrives, the other
      // server has also scanned the workspaces of the holder.
      for (const count of [1, 2]) {
        await createTaskSilently()
        await waitUntil('an event of nobody', () => countReceived(webhookReceiver) === 1 + count)
      }
      assert.equal(webhookReceiver.arrivals.length, sent + 2, 'the lease is waited for')
      await admin.query(setLeaseEnd, ['2000-01-01', await holderIn(admin, team)])
      await waitUntil('what was owed', () => countReceived(webhookReceiver) === 7)
      await waitUntil('the end of all that is left', async () => (await countPending(admin)) === 0)
      if (signal === 'SIGSTOP') {
        const before = await attemptsIn(admin)
        holder?.child.kill('SIGCONT')
        webhookReceiver.hangUp()
        await waitUntil('the end of what hung', async () => (await attemptsOf(holder)) >= sent)
        // It exits once every result is stored or dropped.
        assert.equal(await (holder && endServer(holder, 'SIGTERM')), 0)
        assert.deepEqual(await attemptsIn(admin), before, 'late results are dropped')
      }
      await task(other, team)
      await waitUntil('an event after it', () => countReceived(webhookReceiver) === 8)
      await waitUntil('the end of all that is left', async () => (await countPending(admin)) === 0)
      const ask = async (sql: string) => (await admin.query(sql)).rows
      assert.deepEqual(await findFinalDeliveryFaults(ask), [])
      assert.deepEqual([...webhookReceiver.wrong], [])
    })
  }
})

/** Returns the dispatcher that holds the claim of a workspace. */
const holderIn = async (admin: pg.Client, { workspace }: TestWorkspace): Promise<string> => {
  const sql = 'select dispatcher_id as id from workspaces where id = $1'
  return (await admin.query(sql, [workspace])).rows[0].id
}

/** Returns the server that has sent something. */
async function holderOf(running: readonly ServerProcess[]): Promise<ServerProcess | undefined> {
  for (const server of running) if ((await attemptsOf(server)) > 0) return server
  throw new Error('Nobody has sent anything')
}

/** Counts the attempts that have ended in a server, stored or not. */
async function attemptsOf(server: ServerProcess | undefined): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${server?.port}/metrics`)).text()
  const counts = metrics.matchAll(/^docket_webhook_attempts_total\{.*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const countPending = async (admin: pg.Client): Promise<number> =>
  (await admin.query('select sum(pending_count)::int as waiting from webhooks')).rows[0].waiting

const attemptsIn = async (admin: pg.Client): Promise<unknown[]> =>
  (await admin.query('select delivery_id, number, error from delivery_attempts order by 1, 2')).rows
