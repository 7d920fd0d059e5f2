import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { findDatabaseFaults } from '../support/load/check-database.ts'
import { createTrackedTask, type TrackedWrite } from '../support/load/http-writers.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Sends ten concurrent writes on a disk whose fsync fails, and which may keep the data or not. */
async function writeWithFailingFsync(outcome: 'kept' | 'lost') {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const entry = 'test/support/server-variants/failing-flush.ts'
  const server = await startServer(dataDir, { entry, env: { TEST_FLUSH: outcome } })
  const agent = new Agent({ keepAlive: true })
  const log: TrackedWrite[] = Array.from({ length: 12 }, (_, at) => {
    return { key: `flush-${at}`, title: `Flush ${at}`, sentAt: process.hrtime.bigint() }
  })
  const createTask = (tracked: TrackedWrite) =>
    createTrackedTask(agent, server.port, team, tracked).then(
      () => 'done',
      (error) => String(error).slice(0, 10),
    )
  for (const one of log.slice(0, 2)) assert.equal(await createTask(one), 'done')
  const ended = once(server.child, 'exit')
  server.child.kill('SIGUSR2')
  await waitUntil('a disk that fails', () => server.readStderr().includes('fails from now on'))
  const answers = await Promise.all(log.slice(2).map(createTask))
  agent.destroy()
  const countRefusals = () => server.readStderr().split('refused').length - 1
  return { dataDir, team, log, ended, answers, countRefusals }
}

for (const outcome of ['kept', 'lost'] as const) {
  test(`after a failed fsync the server exits, and only a new start retries (${outcome})`, async () => {
    const { dataDir, team, log, ended, answers, countRefusals } =
      await writeWithFailingFsync(outcome)
    // The server ends a moment after the failure, so a late request may find it gone.
    assert.ok(answers.includes('Error: 503') && !answers.includes('done'), answers.join())
    assert.deepEqual(await ended, [71, null], 'it ends by itself')
    assert.equal(countRefusals(), 1, 'no commit is tried again')
    const restarted = await startServer(dataDir)
    const agent = new Agent({ keepAlive: true })
    for (const one of log) await createTrackedTask(agent, restarted.port, team, one)
    agent.destroy()
    assert.equal(await endServer(restarted, 'SIGTERM'), 0)
    assert.deepEqual(findDatabaseFaults(join(dataDir, 'docket.db'), log), [])
  })
}
