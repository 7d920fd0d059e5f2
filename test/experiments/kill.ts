import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { emptyDir } from '../support/dir.ts'
import { end, settle, start } from '../support/process.ts'
import { until } from '../support/until.ts'
import { wrongWith } from './check.ts'
import { type Asked, create, writers } from './load.ts'

interface Outcome {
  acks: number
  kills: number
  /** The longest time from a start to readiness, in milliseconds. */
  slowest: number
  wrong: string[]
}

/**
 * E01: kills a server under load again and again. What it had acknowledged must be there, once, whole;
 * what was open must be done once when it is asked for again with its key. Ends at the first fault.
 */
export async function killed(options: {
  rounds: number
  acks?: number
  entry?: string
  /** As many writes are acknowledged at most between a start and the kill. */
  most?: number
}): Promise<Outcome> {
  const { rounds, acks: enough = 0, entry, most = 600 } = options
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const log: Asked[] = []
  const outcome: Outcome = { acks: 0, kills: 0, slowest: 0, wrong: [] }
  while (outcome.kills < rounds || outcome.acks < enough) {
    const server = await start(dataDir, { entry })
    outcome.slowest = Math.max(outcome.slowest, server.readyAfter)
    const open = log.filter(({ ackedAt }) => ackedAt === undefined)
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    await Promise.all(open.map((asked) => create(agent, server.port, home, asked)))
    agent.destroy()
    const load = writers(server.port, home, 16, log)
    const acked = () => log.filter(({ ackedAt }) => ackedAt !== undefined).length
    const upTo = acked() + most * (0.1 + 0.9 * Math.random())
    await until('writes', () => acked() >= upTo)
    await end(server, 'SIGKILL')
    await load.stop()
    outcome.kills += 1
    outcome.acks = acked()
    outcome.wrong = wrongWith(join(dataDir, 'docket.db'), log)
    if (outcome.wrong.length > 0) break
  }
  return outcome
}

if (process.argv.includes('--full')) {
  const control = await killed({ rounds: 50, entry: 'test/support/early-reply.ts' })
  assert.ok(control.wrong.length > 0, 'a reply before the commit must be found out')
  console.log('control', control.kills, control.wrong[0])
  const outcome = await killed({ rounds: 200, acks: 100_000, most: 2_000 })
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 || outcome.slowest > 5_000 ? 1 : 0
}
