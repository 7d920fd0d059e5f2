import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { DRAIN_SETTINGS } from '../support/load/balanced-load.ts'
import { sendHttp } from '../support/load/http-writers.ts'
import {
  endServer,
  isServerReady,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

interface StopResult {
  sent: number
  failed: string[]
  exits: (number | null)[]
}

const CLIENTS = 24

/**
 * Stops a server under load. Its clients keep their connections and, as behind a load balancer,
 * turn away once it is no longer ready: until then none of their requests may fail.
 */
export async function stopUnderLoad(rounds: number): Promise<StopResult> {
  const dataDir = createTempDir()
  const outcome: StopResult = { sent: 0, failed: [], exits: [] }
  const team = await seedDataDir(dataDir)
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(dataDir, { env: DRAIN_SETTINGS })
    const balancer = { turned: false }
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      runClient(server, team, at, balancer, outcome),
    )
    const stopAfter = outcome.sent + CLIENTS * (3 + 5 * Math.random())
    await waitUntil('requests', () => outcome.sent >= stopAfter)
    const ended = endServer(server, 'SIGTERM')
    await waitUntil('no readiness', async () => !(await isServerReady(server.port)))
    balancer.turned = true
    outcome.exits.push(await ended)
    await Promise.all(clients)
  }
  return outcome
}

/** Sends about 20 requests a second on one connection, a third of them writes. */
async function runClient(
  { port }: ServerProcess,
  team: TestWorkspace,
  at: number,
  balancer: { turned: boolean },
  outcome: StopResult,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' }
  for (let turn = 0; !balancer.turned; turn++) {
    outcome.sent += 1
    const task = { project_id: team.project, title: `Client ${at}, turn ${turn}` }
    const request =
      turn % 3 === 0
        ? sendHttp(agent, port, 'POST', '/api/v1/tasks', headers, task)
        : sendHttp(agent, port, 'GET', '/api/v1/tasks?limit=5', headers)
    const status = await request.then(
      (reply) => reply.status,
      (error) => String(error),
    )
    if (status !== 200 && status !== 201) outcome.failed.push(String(status))
    await pause(20 + Math.random() * 50)
  }
  agent.destroy()
}
