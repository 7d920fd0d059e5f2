import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { endServer, startServer } from '../../support/server/server-process.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import { sendHttp } from '../load/http-writers.ts'
import {
  createNeighbourInstallation,
  startNeighbourReceivers,
  type WebhookCounts,
} from './installation.ts'

/** 50 receivers that never answer, and 100,000 deliveries that wait for them. */
export const HANGING_RECEIVERS = { hanging: 50, waiting: 2_000 }
/** Ten receivers, of which one hangs and has a backlog. */
export const ONE_OF_TEN_HANGING: WebhookCounts = { hanging: 1, timed: 9, waiting: 2_000 }
/** 100,000 deliveries that are sent as fast as possible. */
const BEING_SENT: WebhookCounts = { quick: 10, waiting: 10_000 }
/** More deliveries than a measurement with many rounds can send. */
const ENDLESS_BACKLOG: WebhookCounts = { quick: 10, waiting: 50_000 }
/** 100,000 deliveries to the host that the calm workspace sends to. */
const SAME_HOST: WebhookCounts = { timed: 10, waiting: 10_000 }
const CALM_WORKSPACE: WebhookCounts = { timed: 1 }
const NO_WEBHOOKS: WebhookCounts = {}

const EVENTS_PER_SECOND = 20
/** The number of events where it only matters whether they arrive. */
const EVENT_COUNT = 20
/** Events that have not arrived by then count as lost. */
const ARRIVAL_TIMEOUT_MS = 2_500
/** How long a server takes to catch up after SIGCONT. */
const CATCH_UP_MS = 1_000

/**
 * Measures the time from a commit to the first attempt in one workspace while another one is noisy.
 * Returns the 99th percentile in milliseconds.
 */
export async function measureAttemptDelay(
  own: WebhookCounts,
  other: WebhookCounts,
  { seconds, entry }: { seconds: number; entry?: string },
): Promise<number> {
  const to = await startNeighbourReceivers()
  const { dataDir, team } = await createNeighbourInstallation(to, own, other)
  const server = await startServer(dataDir, { entry })
  // By now the hanging attempts occupy their slots.
  await pause(1_000)
  const agent = new Agent({ keepAlive: true })
  const made: string[] = []
  const began = performance.now()
  for (let n = 0; n < seconds * EVENTS_PER_SECOND; n++) {
    await pause(Math.max(1, began + (n * 1_000) / EVENTS_PER_SECOND - performance.now()))
    made.push(await createTask(agent, server.port, team))
  }
  await pause(ARRIVAL_TIMEOUT_MS)
  agent.destroy()
  await endServer(server, 'SIGKILL')
  await to.close()
  const paths = Array.from({ length: own.timed ?? 0 }, (_, at) => `/${at}`)
  return ninetyNinth(
    made.flatMap((task) => paths.map((path) => to.delays.get(`${path} ${task}`) ?? Infinity)),
  )
}

/**
 * Counts the first attempts of one workspace that do not arrive while `hanging` other attempts are
 * open. Waits at most `timeoutMs` for them.
 */
export async function countMissingAttempts(
  own: WebhookCounts,
  other: WebhookCounts,
  options: { hanging: number; timeoutMs: number; entry?: string },
): Promise<number> {
  const { hanging, timeoutMs, entry } = options
  const to = await startNeighbourReceivers()
  const { dataDir, team } = await createNeighbourInstallation(to, own, other)
  // The time-out is longer than the test, so that no hanging attempt ends.
  const server = await startServer(dataDir, {
    entry,
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

/**
 * Measures the p99 of API requests of a calm workspace beside a noisy one, as a ratio to the p99 of
 * one that is alone. Two servers take turns, and each is stopped while the other one is measured.
 */
export async function measureApiSlowdown(other: WebhookCounts, rounds: number): Promise<number> {
  const to = await startNeighbourReceivers()
  const servers = await Promise.all(
    [NO_WEBHOOKS, other].map(async (crowd) => {
      const { dataDir, team } = await createNeighbourInstallation(to, CALM_WORKSPACE, crowd)
      const server = await startServer(dataDir)
      return { server, team, agent: new Agent({ keepAlive: true }), times: [] as number[] }
    }),
  )
  for (const { server } of servers) server.child.kill('SIGSTOP')
  for (let round = -2; round < rounds; round++) {
    for (const { server, team, agent, times } of servers) {
      server.child.kill('SIGCONT')
      await pause(CATCH_UP_MS)
      const measured = await measureRequests(agent, server.port, team)
      if (round >= 0) times.push(ninetyNinth(measured))
      server.child.kill('SIGSTOP')
    }
  }
  for (const { server, agent } of servers) {
    agent.destroy()
    await endServer(server, 'SIGKILL')
  }
  await to.close()
  const [alone = Number.NaN, beside = Number.NaN] = servers.map(({ times }) => median(times))
  console.log(`    p99 of the API ${alone.toFixed(2)} → ${beside.toFixed(2)} ms`)
  return beside / alone
}

/** Returns the milliseconds of sequential requests of a workspace. */
async function measureRequests(agent: Agent, port: number, team: TestWorkspace): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + 1_500
  let task = ''
  while (performance.now() < end) {
    const from = performance.now()
    if (times.length % 4 === 0) task = await createTask(agent, port, team)
    else await sendHttp(agent, port, 'GET', `/api/v1/tasks/${task}`, authHeader(team))
    times.push(performance.now() - from)
  }
  return times
}

const authHeader = ({ keys }: TestWorkspace) => ({ authorization: `Bearer ${keys.owner}` })

async function createTask(agent: Agent, port: number, team: TestWorkspace): Promise<string> {
  const headers = { ...authHeader(team), 'content-type': 'application/json' }
  const input = { project_id: team.project, title: 'A task among neighbours' }
  const { status, body } = await sendHttp(agent, port, 'POST', '/api/v1/tasks', headers, input)
  assert.equal(status, 201, body)
  return JSON.parse(body).id
}

const percentile = (part: number) => (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
const ninetyNinth = percentile(0.99)
const median = percentile(0.5)

if (process.argv.includes('--full')) {
  const entry = 'test/experiments/noisy-neighbours/server-without-slot-limits.ts'
  const control = await measureAttemptDelay(ONE_OF_TEN_HANGING, HANGING_RECEIVERS, {
    seconds: 10,
    entry,
  })
  assert.ok(control > 2_000, 'attempts without rules must be found out')
  const duration = { seconds: 30 }
  const measurements: [what: string, max: number, measure: () => Promise<number>][] = [
    [
      'p99 ms beside 50 that hang',
      2_000,
      () => measureAttemptDelay(CALM_WORKSPACE, HANGING_RECEIVERS, duration),
    ],
    [
      'p99 ms beside 100,000 being sent',
      2_000,
      () => measureAttemptDelay(CALM_WORKSPACE, BEING_SENT, duration),
    ],
    [
      'p99 ms beside 100,000 to the same host',
      2_000,
      () => measureAttemptDelay(CALM_WORKSPACE, SAME_HOST, duration),
    ],
    [
      'p99 ms beside one of ten that hangs',
      2_000,
      () => measureAttemptDelay(ONE_OF_TEN_HANGING, NO_WEBHOOKS, duration),
    ],
    [
      'p99 of the API beside 50 that hang, to alone',
      1.2,
      () => measureApiSlowdown(HANGING_RECEIVERS, 15),
    ],
    [
      'p99 of the API beside 100,000 being sent, to alone',
      1.2,
      () => measureApiSlowdown(ENDLESS_BACKLOG, 15),
    ],
  ]
  for (const [what, max, measure] of measurements) {
    const actual = await measure()
    console.log(`${actual <= max ? ' ' : '✗'} ${what}: ${actual.toFixed(2)}, at most ${max}`)
    if (!(actual <= max)) process.exitCode = 1
  }
}
