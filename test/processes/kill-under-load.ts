import { Agent } from 'node:http'
import { join } from 'node:path'
import { findDatabaseFaults } from '../support/load/check-database.ts'
import { createTrackedTask, startWriters, type TrackedWrite } from '../support/load/http-writers.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

interface KillResult {
  acks: number
  kills: number
  wrong: string[]
}

/**
 * Kills a server under load again and again. Every acknowledged write must exist exactly once and
 * completely; a request that was open at the kill must take effect once when it is retried with its
 * key. Ends at the first fault.
 */
export async function killUnderLoad(options: {
  rounds: number
  /** The maximum of acknowledged writes between a start and the kill. */
  maxAcks?: number
}): Promise<KillResult> {
  const { rounds, maxAcks = 600 } = options
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const log: TrackedWrite[] = []
  const outcome: KillResult = { acks: 0, kills: 0, wrong: [] }
  while (outcome.kills < rounds) {
    const server = await startServer(dataDir)
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
