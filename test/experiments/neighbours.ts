import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Home } from '../support/home.ts'
import { end, start } from '../support/process.ts'
import { until } from '../support/until.ts'
import { send } from './load.ts'
import { type Crowd, receivers, worldOf } from './neighbours-world.ts'

/** 50 receivers that never answer, and 100,000 deliveries that wait for them. */
export const HANGING = { hanging: 50, waiting: 2_000 }
/** Ten receivers of which one hangs, for which much waits. */
export const ONE_OF_TEN: Crowd = { hanging: 1, timed: 9, waiting: 2_000 }
/** 100,000 deliveries that go out as fast as they can. */
const SENDING: Crowd = { quick: 10, waiting: 10_000 }
/** More than a measurement of many rounds sends. */
const ENDLESS: Crowd = { quick: 10, waiting: 50_000 }
/** As much to the host that the calm workspace sends to. */
const CROWDING: Crowd = { timed: 10, waiting: 10_000 }
const CALM: Crowd = { timed: 1 }
const NOBODY: Crowd = {}

const PER_SECOND = 20
/** As many events are sent where it only counts whether they come. */
const EVENTS = 20
/** What has not come by then counts as never. */
const PATIENCE_MS = 2_500
/** Until a server that was stopped has caught up. */
const SETTLED_MS = 1_000

/**
 * E18: how long first attempts for a workspace take from the commit, while another is in its way. Gives
 * what 99 of 100 do not exceed, in milliseconds.
 */
export async function delayOf(
  own: Crowd,
  other: Crowd,
  { seconds, entry }: { seconds: number; entry?: string },
): Promise<number> {
  const to = await receivers()
  const { dataDir, home } = await worldOf(to, own, other)
  const server = await start(dataDir, { entry })
  // By now all that hangs has its places.
  await pause(1_000)
  const agent = new Agent({ keepAlive: true })
  const made: string[] = []
  const began = performance.now()
  for (let n = 0; n < seconds * PER_SECOND; n++) {
    await pause(Math.max(1, began + (n * 1_000) / PER_SECOND - performance.now()))
    made.push(await create(agent, server.port, home))
  }
  await pause(PATIENCE_MS)
  agent.destroy()
  await end(server, 'SIGKILL')
  await to.close()
  const paths = Array.from({ length: own.timed ?? 0 }, (_, at) => `/${at}`)
  return ninetyNinth(
    made.flatMap((task) => paths.map((path) => to.delays.get(`${path} ${task}`) ?? Infinity)),
  )
}

/**
 * How many first attempts for a workspace do not come while as many attempts as `hanging` are not
 * answered. Those that never come are waited for until `patienceMs`.
 */
export async function missingBeside(
  own: Crowd,
  other: Crowd,
  how: { hanging: number; patienceMs: number; entry?: string },
): Promise<number> {
  const { hanging, patienceMs, entry } = how
  const to = await receivers()
  const { dataDir, home } = await worldOf(to, own, other)
  // None that hangs is given up before the end.
  const server = await start(dataDir, { entry, env: { DOCKET_WEBHOOK_TIMEOUT_SECONDS: '60' } })
  const agent = new Agent({ keepAlive: true })
  try {
    await until('attempts that hang', () => to.held.size >= hanging)
    const wanted: string[] = []
    for (let n = 0; n < EVENTS; n++) {
      const task = await create(agent, server.port, home)
      for (let at = 0; at < (own.timed ?? 0); at++) wanted.push(`/${at} ${task}`)
    }
    const missing = () => wanted.filter((one) => !to.delays.has(one)).length
    const late = performance.now() + patienceMs
    await until('all that is sent', () => missing() === 0 || performance.now() > late)
    return missing()
  } finally {
    agent.destroy()
    await end(server, 'SIGKILL')
    await to.close()
  }
}

/**
 * How long 99 of 100 requests of a calm workspace take at most, to how long they take where it is alone.
 * The two servers take turns, each stopped while the other is asked.
 */
export async function slowdown(other: Crowd, rounds: number): Promise<number> {
  const to = await receivers()
  const servers = await Promise.all(
    [NOBODY, other].map(async (crowd) => {
      const { dataDir, home } = await worldOf(to, CALM, crowd)
      const server = await start(dataDir)
      return { server, home, agent: new Agent({ keepAlive: true }), times: [] as number[] }
    }),
  )
  for (const { server } of servers) server.child.kill('SIGSTOP')
  for (let round = -2; round < rounds; round++) {
    for (const { server, home, agent, times } of servers) {
      server.child.kill('SIGCONT')
      await pause(SETTLED_MS)
      const measured = await timesOf(agent, server.port, home)
      if (round >= 0) times.push(ninetyNinth(measured))
      server.child.kill('SIGSTOP')
    }
  }
  for (const { server, agent } of servers) {
    agent.destroy()
    await end(server, 'SIGKILL')
  }
  await to.close()
  const [alone = Number.NaN, beside = Number.NaN] = servers.map(({ times }) => middle(times))
  console.log(`    p99 of the API ${alone.toFixed(2)} → ${beside.toFixed(2)} ms`)
  return beside / alone
}

/** Milliseconds that requests of a workspace take, one after the other, for a while. */
async function timesOf(agent: Agent, port: number, home: Home): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + 1_500
  let task = ''
  while (performance.now() < until) {
    const from = performance.now()
    if (times.length % 4 === 0) task = await create(agent, port, home)
    else await send(agent, port, 'GET', `/api/v1/tasks/${task}`, keyOf(home))
    times.push(performance.now() - from)
  }
  return times
}

const keyOf = ({ keys }: Home) => ({ authorization: `Bearer ${keys.owner}` })

async function create(agent: Agent, port: number, home: Home): Promise<string> {
  const headers = { ...keyOf(home), 'content-type': 'application/json' }
  const wish = { project_id: home.project, title: 'A task among neighbours' }
  const { status, body } = await send(agent, port, 'POST', '/api/v1/tasks', headers, wish)
  assert.equal(status, 201, body)
  return JSON.parse(body).id
}

const at = (part: number) => (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
const ninetyNinth = at(0.99)
const middle = at(0.5)

if (process.argv.includes('--full')) {
  const entry = 'test/experiments/neighbours-unruled.ts'
  const control = await delayOf(ONE_OF_TEN, HANGING, { seconds: 10, entry })
  assert.ok(control > 2_000, 'attempts without rules must be found out')
  const long = { seconds: 30 }
  const figures: [what: string, most: number, figure: () => Promise<number>][] = [
    ['p99 ms beside 50 that hang', 2_000, () => delayOf(CALM, HANGING, long)],
    ['p99 ms beside 100,000 being sent', 2_000, () => delayOf(CALM, SENDING, long)],
    ['p99 ms beside 100,000 to the same host', 2_000, () => delayOf(CALM, CROWDING, long)],
    ['p99 ms beside one of ten that hangs', 2_000, () => delayOf(ONE_OF_TEN, NOBODY, long)],
    ['p99 of the API beside 50 that hang, to alone', 1.2, () => slowdown(HANGING, 15)],
    ['p99 of the API beside 100,000 being sent, to alone', 1.2, () => slowdown(ENDLESS, 15)],
  ]
  for (const [what, most, figure] of figures) {
    const is = await figure()
    console.log(`${is <= most ? ' ' : '✗'} ${what}: ${is.toFixed(2)}, at most ${most}`)
    if (!(is <= most)) process.exitCode = 1
  }
}
