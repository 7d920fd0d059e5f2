import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DRAIN_SETTINGS, startBalancedLoad } from '../experiments/load/balanced-load.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { readWorkspaceContent } from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** The number of writes between two restarts. */
const WRITES = 30

/** Ends and restarts two servers in turn under load, until a request fails or `restarts` is reached. */
async function restartInTurn(t: TestContext, signal: NodeJS.Signals, restarts: number) {
  const dataDirs = [createTempDir(), createTempDir()]
  const env = { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url, ...DRAIN_SETTINGS }
  const team = await seedDataDir(createTempDir(), env)
  const running = await Promise.all(dataDirs.map((dataDir) => startServer(dataDir, { env })))
  t.after(() => Promise.all(running.map((server) => endServer(server, 'SIGKILL'))))
  const ports = running.map(({ port }) => port)
  const load = startBalancedLoad(ports, team, 12)
  const exits: (number | null)[] = []
  const untilMoreWrites = async () => {
    const before = load.acked.length
    await waitUntil('writes', () => load.acked.length >= before + WRITES)
  }
  await untilMoreWrites()
  for (let restart = 0; restart < restarts && load.failed.size === 0; restart += 1) {
    const at = restart % 2
    const [server, dataDir] = [running[at], dataDirs[at]]
    assert.ok(server && dataDir)
    exits.push(await endServer(server, signal))
    running[at] = await startServer(dataDir, { env, port: server.port })
    await untilMoreWrites()
  }
  await load.stop()
  const { tasks } = await readWorkspaceContent(
    { ...env, DOCKET_DATA_DIR: createTempDir(), DOCKET_SECRET: TEST_SECRET },
    team,
  )
  const existing = new Set(tasks)
  const lost = load.acked.filter((id) => !existing.has(id))
  return { acked: load.acked.length, failed: [...load.failed.keys()], exits, lost, tasks }
}

test('a rolling restart of two servers under load fails no request', async (t) => {
  const { acked, failed, exits, lost, tasks } = await restartInTurn(t, 'SIGTERM', 2)
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0, 0])
  assert.deepEqual(lost, [])
  assert.equal(tasks.length, acked)
  assert.ok(acked >= 3 * WRITES, `${acked} writes`)
})

test('control: a kill fails requests, and loses no write', async (t) => {
  const { failed, lost } = await restartInTurn(t, 'SIGKILL', 10)
  assert.notDeepEqual(failed, [])
  assert.deepEqual(lost, [])
})
