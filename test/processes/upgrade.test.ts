import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { DRAIN_SETTINGS, startBalancedLoad } from '../support/load/balanced-load.ts'
import { insertOldTasks } from '../support/migrations/old-tasks.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { endServer, type ServerProcess, startServer } from '../support/server/server-process.ts'
import { readWorkspaceContent } from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const NEXT_RELEASE = 'test/support/server-variants/next-release.ts'
/** Enough rows for several batches of a backfill. */
const TASKS = 2_500

/** The number of writes between two restarts. */
const WRITES = 30

/** Starts servers of the previous release under load, on a database with rows. */
async function startPreviousRelease(t: TestContext, servers: number) {
  const { url, admin } = await createMigratedDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_LOG_LEVEL: 'warn', ...DRAIN_SETTINGS }
  const place = { ...env, DOCKET_DATA_DIR: createTempDir(), DOCKET_SECRET: TEST_SECRET }
  const { storage } = await openStore(parseConfig(place))
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner')
  await insertOldTasks(admin, await createTestWorkspace(storage), TASKS)
  await storage.close()
  const running: ServerProcess[] = []
  let load: ReturnType<typeof startBalancedLoad> | undefined
  t.after(async () => {
    await load?.stop()
    await Promise.all(running.map((server) => endServer(server, 'SIGKILL')))
  })
  /** Starts a server on the port of another one. */
  async function startAt(at: number, entry?: string): Promise<ServerProcess> {
    const before = running[at]
    const port = before && { port: before.port }
    const server = await startServer(createTempDir(), { entry, env, ...port })
    running[at] = server
    return server
  }
  for (let at = 0; at < servers; at += 1) await startAt(at)
  load = startBalancedLoad(
    running.map(({ port }) => port),
    team,
    4,
  )
  const { acked } = load
  const untilMoreWrites = async () => {
    const before = acked.length
    await waitUntil('writes', () => acked.length >= before + WRITES)
  }
  await untilMoreWrites()
  return { admin, place, team, headers, running, startAt, load, untilMoreWrites }
}

/** Holds a read lock on tasks, as a dump does, until `happens` resolves. */
async function holdReadLock(admin: pg.Client, happens: () => Promise<void>): Promise<void> {
  await admin.query('begin; lock table tasks in access share mode')
  await happens().finally(() => admin.query('commit'))
}

/** Waits until a migration waits for its lock, or no longer does. */
async function untilWaits(admin: pg.Client, waits: boolean): Promise<void> {
  const waiting = `select from pg_locks
    where not granted and relation = 'tasks'::regclass and mode = 'AccessExclusiveLock'`
  const hasState = async () => (await admin.query(waiting)).rows.length > 0 === waits
  await waitUntil(waits ? 'a migration waits' : 'a migration waits no longer', hasState)
}

test('an upgrade and a rollback under load fail no request, even during a dump', async (t) => {
  const { admin, place, team, headers, running, startAt, load, untilMoreWrites } =
    await startPreviousRelease(t, 2)
  const [one, other] = running
  assert.ok(one && other)
  assert.equal(await endServer(one, 'SIGTERM'), 0)
  const reading = holdReadLock(admin, async () => {
    // The migration gives way to other statements, and tries again.
    for (const waits of [true, false, true]) await untilWaits(admin, waits)
  })
  const next = await startAt(0, NEXT_RELEASE)
  await reading
  assert.match(next.readStderr(), /will be retried/)
  const left = await admin.query(
    'select count(*)::int as n from tasks where title = $1 and effort <> 7',
    ['Old'],
  )
  assert.deepEqual(left.rows, [{ n: 0 }])

  // A page of the new release learns of writes of the previous one, if later than of others.
  const live = await openLiveStream(next.port, headers)
  const reply = await fetch(`http://127.0.0.1:${other.port}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: team.project, title: 'From the release before' }),
  })
  const { id } = (await reply.json()) as { id: string }
  await live.waitForRecord(id)
  live.close()
  load.acked.push(id)

  // The previous release is started on the new schema, as after a crash or for a rollback.
  assert.equal(await endServer(other, 'SIGTERM'), 0)
  const rolledBack = await startAt(1)
  await untilMoreWrites()
  // Log lines are buffered before they are written.
  await waitUntil(rolledBack.readStderr, () =>
    /migrated by a newer release/.test(rolledBack.readStderr()),
  )
  assert.equal(await endServer(rolledBack, 'SIGTERM'), 0)
  await startAt(1, NEXT_RELEASE)
  await untilMoreWrites()
  await load.stop()
  assert.deepEqual([...load.failed], [])
  const { tasks } = await readWorkspaceContent(place, team)
  assert.deepEqual(tasks, load.acked.toSorted())
  t.diagnostic(`${load.acked.length} writes`)
})
