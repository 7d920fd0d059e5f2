import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, isReady, type Running, settle, start } from '../support/process.ts'
import { until } from '../support/until.ts'
import { BALANCED } from './balanced.ts'
import { send } from './load.ts'

interface Outcome {
  sent: number
  failed: string[]
  exits: (number | null)[]
  /** The longest time from SIGTERM to the end, in milliseconds. */
  slowest: number
}

const CLIENTS = 24

/**
 * E22: stops a server under load. Its clients keep their connections and, as behind a balancer, turn
 * away once it says that it is not ready: until then none of their requests may fail.
 */
export async function drained(options: {
  rounds: number
  entry?: string
  begin?: typeof start
}): Promise<Outcome> {
  const { rounds, entry, begin = start } = options
  const dataDir = emptyDir()
  const outcome: Outcome = { sent: 0, failed: [], exits: [], slowest: 0 }
  const home = await settle(dataDir)
  for (let round = 0; round < rounds; round++) {
    const server = await begin(dataDir, { entry, env: BALANCED })
    const balancer = { turned: false }
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      client(server, home, at, balancer, outcome),
    )
    const enough = outcome.sent + CLIENTS * (3 + 5 * Math.random())
    await until('requests', () => outcome.sent >= enough)
    const started = performance.now()
    const ended = end(server, 'SIGTERM')
    await until('no readiness', async () => !(await isReady(server.port)))
    balancer.turned = true
    outcome.exits.push(await ended)
    outcome.slowest = Math.max(outcome.slowest, performance.now() - started)
    await Promise.all(clients)
  }
  return outcome
}

/** About 20 requests a second on one connection, a third of them writes. */
async function client(
  { port }: Running,
  home: Home,
  at: number,
  balancer: { turned: boolean },
  outcome: Outcome,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' }
  for (let turn = 0; !balancer.turned; turn++) {
    outcome.sent += 1
    const task = { project_id: home.project, title: `Client ${at}, turn ${turn}` }
    const asking =
      turn % 3 === 0
        ? send(agent, port, 'POST', '/api/v1/tasks', headers, task)
        : send(agent, port, 'GET', '/api/v1/tasks?limit=5', headers)
    const status = await asking.then(
      (reply) => reply.status,
      (error) => String(error),
    )
    if (status !== 200 && status !== 201) outcome.failed.push(String(status))
    await pause(20 + Math.random() * 50)
  }
  agent.destroy()
}

if (process.argv.includes('--full')) {
  const control = await drained({ rounds: 1, entry: 'test/support/abrupt.ts' })
  assert.ok(control.failed.length > 0, 'a server that breaks off must be found out')
  console.log('control', control.failed.length, control.failed[0])
  const outcome = await drained({ rounds: 20 })
  console.log(outcome)
  const bad = outcome.failed.length > 0 || outcome.exits.some((code) => code !== 0)
  process.exitCode = bad || outcome.slowest > 30_000 ? 1 : 0
}
