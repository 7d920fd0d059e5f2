import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import {
  endServer,
  isServerReady,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import { DRAIN_SETTINGS } from '../load/balanced-load.ts'
import { sendHttp } from '../load/http-writers.ts'

interface StopResult {
  sent: number
  failed: string[]
  exits: (number | null)[]
  /** The longest time from SIGTERM to the exit, in milliseconds. */
  slowest: number
}

const CLIENTS = 24

/**
 * Stops a server under load. Its clients keep their connections and, as behind a load balancer,
 * turn away once it is no longer ready: until then none of their requests may fail.
 */
export async function stopUnderLoad(options: {
  rounds: number
  entry?: string
  launch?: typeof startServer
}): Promise<StopResult> {
  const { rounds, entry, launch = startServer } = options
  const dataDir = createTempDir()
  const outcome: StopResult = { sent: 0, failed: [], exits: [], slowest: 0 }
  const team = await seedDataDir(dataDir)
  for (let round = 0; round < rounds; round++) {
    const server = await launch(dataDir, { entry, env: DRAIN_SETTINGS })
    const balancer = { turned: false }
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      runClient(server, team, at, balancer, outcome),
    )
    const stopAfter = outcome.sent + CLIENTS * (3 + 5 * Math.random())
    await waitUntil('requests', () => outcome.sent >= stopAfter)
    const started = performance.now()
    const ended = endServer(server, 'SIGTERM')
    await waitUntil('no readiness', async () => !(await isServerReady(server.port)))
    balancer.turned = true
    outcome.exits.push(await ended)
    outcome.slowest = Math.max(outcome.slowest, performance.now() - started)
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

if (process.argv.includes('--full')) {
  const control = await stopUnderLoad({
    rounds: 1,
    entry: 'test/support/controls/abrupt-shutdown.ts',
  })
  assert.ok(control.failed.length > 0, 'a server that breaks off must be found out')
  console.log('control', control.failed.length, control.failed[0])
  const outcome = await stopUnderLoad({ rounds: 20 })
  console.log(outcome)
  const hasFailed = outcome.failed.length > 0 || outcome.exits.some((code) => code !== 0)
  process.exitCode = hasFailed || outcome.slowest > 30_000 ? 1 : 0
}
