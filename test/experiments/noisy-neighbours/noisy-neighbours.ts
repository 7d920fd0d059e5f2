import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { sendHttp } from '../../support/load/http-writers.ts'
import { endServer, startServer } from '../../support/server/server-process.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import {
  createNeighbourInstallation,
  startNeighbourReceivers,
  type WebhookCounts,
} from './installation.ts'

/** 50 receivers that never answer, and 100,000 deliveries that wait for them. */
export const HANGING_RECEIVERS = { hanging: 50, waiting: 2_000 }
/** Ten receivers, of which one hangs and has a backlog. */
export const ONE_OF_TEN_HANGING: WebhookCounts = { hanging: 1, timed: 9, waiting: 2_000 }
/** The number of events where it only matters whether they arrive. */
const EVENT_COUNT = 20
/**
 * Counts the first attempts of one workspace that do not arrive while `hanging` other attempts are
 * open. Waits at most `timeoutMs` for them.
 */
export async function countMissingAttempts(
  own: WebhookCounts,
  other: WebhookCounts,
  options: { hanging: number; timeoutMs: number },
): Promise<number> {
  const { hanging, timeoutMs } = options
  const to = await startNeighbourReceivers()
  const { dataDir, team } = await createNeighbourInstallation(to, own, other)
  // The time-out is longer than the test, so that no hanging attempt ends.
  const server = await startServer(dataDir, {
    env: { DOCKET_WEBHOOK_TIMEOUT_SECONDS: '60' },
  })
  const agent = new Agent({ keepAlive: true })
  try {
    await waitUntil('attempts that hang', () => to.held.size >= hanging)
    const expected: string[] = []
    for (let n = 0; n < EVENT_COUNT; n++) {
      const task = await createTask(agent, server.port, team)
      for (let at = 0; at < (own.timed ?? 0); at++) expected.push(`/${at} ${task}`)
    }
    const missing = () => expected.filter((one) => !to.delays.has(one)).length
    const deadline = performance.now() + timeoutMs
    await waitUntil('all that is sent', () => missing() === 0 || performance.now() > deadline)
    return missing()
  } finally {
    agent.destroy()
    await endServer(server, 'SIGKILL')
    await to.close()
  }
}

const authHeader = ({ keys }: TestWorkspace) => ({ authorization: `Bearer ${keys.owner}` })

async function createTask(agent: Agent, port: number, team: TestWorkspace): Promise<string> {
  const headers = { ...authHeader(team), 'content-type': 'application/json' }
  const input = { project_id: team.project, title: 'A task among neighbours' }
  const { status, body } = await sendHttp(agent, port, 'POST', '/api/v1/tasks', headers, input)
  assert.equal(status, 201, body)
  return JSON.parse(body).id
}
