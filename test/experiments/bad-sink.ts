import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import type { Manner } from '../support/manners.ts'
import { end, type Running, settle, start } from '../support/process.ts'
import { type Arrival, RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { until as untilSo } from '../support/until.ts'
import { wrongAtTheEnd } from './bad-sink-check.ts'
import { killedAt, repeats, wrongOrder } from './bad-sink-order.ts'
import { send } from './load.ts'

export interface Sinking {
  events: number
  /** How the sink answers. */
  plan: (arrival: Arrival) => Manner
  /** The server is killed each so many attempts, about. */
  killEvery?: number
  entry?: string
  timeoutSeconds?: number
  /** Milliseconds without any attempt after which nothing more is waited for. */
  patience?: number
}

interface Outcome {
  attempts: number
  attemptsPerSecond: number
  seconds: number
  kills: number
  duplicates: number
  /** The most memory that the last server had, in MiB; 0 where the system does not tell. */
  mostMemory: number
  slowestStart: number
  wrong: string[]
}

const WORKSPACES = 5
const WRITERS = 16
const CHANGES = 4
/** How an attempt went is written down within this, also on a machine that has much else to do. */
const RECORDED_MS = 15_000
/** As many as the settings take, none of them a wait: what fails is tried again at once. */
const RETRIES = 50

/** Fails nine times of ten, but never one event so often that it would be given up. */
export const failing90: Sinking['plan'] = ({ attempt }) =>
  Math.random() < 0.9 && attempt < RETRIES - 5 ? 'error' : 'ok'

/** All that a receiver can do wrong, and now and then what is right. */
export const mixed: Sinking['plan'] = ({ attempt }) => {
  const last = attempt >= RETRIES - 5
  const part = last ? 0 : Math.random() * 100
  return MIXED.find(([, upTo]) => part < upTo)?.[0] ?? 'error'
}

/** Ways to answer up to a part of a hundred. What lets an attempt time out is rarer: it takes its time. */
const MIXED: [Manner, number][] = [
  ['ok', 40],
  ['huge', 41],
  ['bomb', 42],
  ['hang', 43],
  ['drip', 44],
  ['later', 49],
  ['redirect', 64],
  ['reset', 79],
]

/** E17: sends events to a sink that fails, and looks whether each came, in order, and why any came twice. */
export async function badSink(sinking: Sinking): Promise<Outcome> {
  const { events, plan, killEvery, entry, timeoutSeconds = 10 } = sinking
  const { patience = 30_000 } = sinking
  const dataDir = emptyDir()
  const homes: Home[] = []
  for (let at = 0; at < WORKSPACES; at++) homes.push(await settle(dataDir))
  const env = {
    DOCKET_WEBHOOK_RETRY_SECONDS: Array(RETRIES).fill('0').join(),
    DOCKET_WEBHOOK_TIMEOUT_SECONDS: String(timeoutSeconds),
    DOCKET_WEBHOOK_DISABLE_AFTER_ATTEMPTS: '1000000000',
  }
  const sink = await receiver(plan)
  const kills: number[] = []
  let server = await start(dataDir, { entry, env })
  let slowestStart = 0
  const began = performance.now()
  let over = false
  try {
    for (const home of homes) await subscribe(server, home, sink.urlOf)
    const killing = killEvery === undefined ? undefined : kill(killEvery)
    await write(homes, events, () => server.port)
    await until(() => sink.received.size >= events, sink.arrivals, patience)
    const seconds = (performance.now() - began) / 1000
    over = true
    await killing
    await until(() => isWrittenDown(dataDir), sink.arrivals, patience)
    const mostMemory = memoryOf(server)
    await end(server, 'SIGTERM')
    const db = new DatabaseSync(join(dataDir, 'docket.db'))
    const wrong = await wrongAtTheEnd((sql) => db.prepare(sql).all())
    db.close()
    const { duplicates, unexplained } = repeats(sink, kills, timeoutSeconds * 1000 + RECORDED_MS)
    const arrived = sink.received.size
    if (arrived !== events) wrong.push(`${arrived} of ${events} came`)
    wrong.push(...[...sink.wrong, ...wrongOrder(sink, RETRIES + 1), ...unexplained].slice(0, 10))
    const attempts = sink.arrivals.length
    const attemptsPerSecond = Math.round(attempts / seconds)
    const times = { attempts, attemptsPerSecond, seconds, slowestStart, mostMemory }
    return { ...times, kills: kills.length, duplicates, wrong }
  } finally {
    over = true
    await end(server, 'SIGKILL')
    await sink.close()
  }

  async function kill(every: number): Promise<void> {
    while (!over) {
      const enough = sink.arrivals.length + every * (0.5 + Math.random())
      await untilSo('attempts', () => over || sink.arrivals.length >= enough)
      if (over) return
      await end(server, 'SIGKILL')
      kills.push(await killedAt())
      server = await start(dataDir, { entry, env })
      slowestStart = Math.max(slowestStart, server.readyAfter)
    }
  }
}

/** Two webhooks for each workspace, one for each project, so that each event goes to one of them. */
async function subscribe({ port }: Running, home: Home, urlOf: (hook: string) => string) {
  const agent = new Agent()
  for (const project of [home.project, home.hidden]) {
    const about = { events: ['*'], project_ids: [project], secret: RECEIVED_SECRET }
    const webhook = { url: urlOf(project), ...about }
    const { status, body } = await send(agent, port, 'POST', '/api/v1/webhooks', by(home), webhook)
    assert.equal(status, 201, body)
  }
  agent.destroy()
}

const by = ({ keys }: Home) => ({
  authorization: `Bearer ${keys.owner}`,
  'content-type': 'application/json',
})

/** Makes tasks and changes them until there are so many events; asks again until each is done. */
async function write(homes: readonly Home[], events: number, port: () => number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
  let left = events
  let serial = 0

  async function writer() {
    while (left > 0) {
      const changes = Math.min(CHANGES, left - 1)
      left -= changes + 1
      const at = serial++
      const home = homes[at % homes.length]
      if (!home) return
      const project_id = at % 3 === 0 ? home.hidden : home.project
      const task = await ask(home, 'POST', '/api/v1/tasks', { project_id, title: `Task ${at}` })
      for (let change = 0; change < changes; change++) {
        await ask(home, 'PATCH', `/api/v1/tasks/${task}`, { title: `Task ${at}, ${change}` })
      }
    }
  }

  async function ask(home: Home, method: string, path: string, body: object): Promise<string> {
    const headers = { ...by(home), 'idempotency-key': crypto.randomUUID() }
    for (;;) {
      const reply = await send(agent, port(), method, path, headers, body).catch(() => undefined)
      if (reply && reply.status < 300) return JSON.parse(reply.body).id
      if (reply && reply.status < 500 && reply.status !== 409) throw new Error(reply.body)
      await pause(20)
    }
  }

  await Promise.all(Array.from({ length: WRITERS }, writer))
  agent.destroy()
}

/** Waits; not on when nothing comes any more. */
async function until(done: () => boolean, arrivals: readonly Arrival[], patience: number) {
  const from = performance.now()
  while (!done()) {
    const last = Math.max(from, arrivals.at(-1)?.at ?? 0)
    if (performance.now() - last > patience) return
    await pause(20)
  }
}

function isWrittenDown(dataDir: string): boolean {
  const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true, timeout: 5_000 })
  try {
    const { left } = db.prepare('select sum(pending_count) as left from webhooks').get() ?? {}
    return left === 0
  } finally {
    db.close()
  }
}

function memoryOf({ child }: Running): number {
  try {
    const [, kilobytes] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}

if (process.argv.includes('--full')) {
  const killEvery = 4_000
  const entry = 'test/support/early-done.ts'
  const control = await badSink({ events: 2_000, plan: () => 'ok', killEvery: 400, entry })
  assert.match(control.wrong.join(), / came/, 'a mark before the sending must be found out')
  console.log('control', control.wrong[0])
  const runs: Record<string, Sinking> = {
    'mixed faults': { events: 20_000, plan: mixed, timeoutSeconds: 2 },
    'mixed faults and kills': { events: 20_000, plan: mixed, timeoutSeconds: 2, killEvery },
    '90 % fail': { events: 100_000, plan: failing90 },
    '90 % fail, and kills': { events: 100_000, plan: failing90, killEvery },
  }
  for (const [name, sinking] of Object.entries(runs)) {
    const outcome = await badSink(sinking)
    console.log(name, outcome)
    if (outcome.wrong.length > 0) process.exitCode = 1
  }
}
