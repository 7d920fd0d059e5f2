import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { endServer, seedDataDir, startServer } from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { createTrackedTask, startWriters, type TrackedWrite } from '../load/http-writers.ts'
import { findDatabaseFaults } from './check-database.ts'

interface KillResult {
  acks: number
  kills: number
  /** The longest time from a start to readiness, in milliseconds. */
  slowest: number
  wrong: string[]
}

/**
 * Kills a server under load again and again. Every acknowledged write must exist exactly once and
 * completely; a request that was open at the kill must take effect once when it is retried with its
 * key. Ends at the first fault.
 */
export async function killUnderLoad(options: {
  rounds: number
  acks?: number
  entry?: string
  /** The maximum of acknowledged writes between a start and the kill. */
  maxAcks?: number
}): Promise<KillResult> {
  const { rounds, acks: minAcks = 0, entry, maxAcks = 600 } = options
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const log: TrackedWrite[] = []
  const outcome: KillResult = { acks: 0, kills: 0, slowest: 0, wrong: [] }
  while (outcome.kills < rounds || outcome.acks < minAcks) {
    const server = await startServer(dataDir, { entry })
    outcome.slowest = Math.max(outcome.slowest, server.startupMs)
    const open = log.filter(({ ackedAt }) => ackedAt === undefined)
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    await Promise.all(open.map((tracked) => createTrackedTask(agent, server.port, team, tracked)))
    agent.destroy()
    const load = startWriters(server.port, team, 16, log)
    const countAcks = () => log.filter(({ ackedAt }) => ackedAt !== undefined).length
    const killAfter = countAcks() + maxAcks * (0.1 + 0.9 * Math.random())
    await waitUntil('writes', () => countAcks() >= killAfter)
    await endServer(server, 'SIGKILL')
    await load.stop()
    outcome.kills += 1
    outcome.acks = countAcks()
    outcome.wrong = findDatabaseFaults(join(dataDir, 'docket.db'), log)
    if (outcome.wrong.length > 0) break
  }
  return outcome
}

if (process.argv.includes('--full')) {
  const control = await killUnderLoad({
    rounds: 50,
    entry: 'test/support/controls/reply-before-commit.ts',
  })
  assert.ok(control.wrong.length > 0, 'a reply before the commit must be found out')
  console.log('control', control.kills, control.wrong[0])
  const outcome = await killUnderLoad({ rounds: 200, acks: 100_000, maxAcks: 2_000 })
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 || outcome.slowest > 5_000 ? 1 : 0
}
