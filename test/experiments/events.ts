import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { killedAt, repeats } from './bad-sink-order.ts'
import { lives } from './events-lives.ts'
import { follow, wrongWithLog } from './events-reader.ts'

interface Eventful {
  operations: number
  /** A server is killed each so many operations, about. */
  killEvery: number
  /** There are more operations where there were not so many kills yet: one, unless it is said. */
  leastKills?: number
  /** How many servers there are; more than one need a database that they share. */
  servers?: number
  databaseUrl?: string
  entry?: string
  /** Milliseconds for what is committed to be received. */
  patience?: number
}

interface Outcome {
  events: number
  kills: number
  duplicates: number
  seconds: number
  wrong: string[]
}

const WRITERS = 16
/** An event that was on its way to a server that is killed may come once more when its lease has ended. */
const DOUBT_MS = 30_000

/**
 * E16: writes of all kinds, servers that are killed at any instant, a program that follows the log, and
 * receivers. Each operation has exactly its events, in a sequence without gaps, seen by everybody.
 */
export async function eventful(how: Eventful): Promise<Outcome> {
  const { operations, killEvery, servers = 1, databaseUrl, entry } = how
  const { patience = 90_000, leastKills = 1 } = how
  const dataDir = emptyDir()
  const env = { ...(databaseUrl && { DOCKET_DATABASE_URL: databaseUrl }) }
  const home = await settled(dataDir, env)
  const there = await receiver()
  const leases = databaseUrl === undefined ? undefined : await leasesIn(databaseUrl)
  const running: Running[] = []
  const starting = async (at: number) => {
    running[at] = await start(dataDir, { entry, env })
    await leases?.taken(at)
  }
  for (let at = 0; at < servers; at++) await starting(at)
  const ports = () => running.map(({ port }) => port)
  const kills: number[] = []
  const began = performance.now()
  let over = false
  let answered = 0
  const isEnough = (now: number) => {
    answered = now
    return answered >= operations && kills.length >= leastKills
  }
  try {
    await subscribe(running[0], home, there.urlOf)
    const reader = follow(home, ports)
    const killing = kill()
    const { told, wrong } = await lives(home, ports, { isEnough, writers: WRITERS })
    over = true
    await killing
    const events = await reader.end()
    const created = events.filter(({ type }) => type.endsWith('.created'))
    const expected = [
      ...events.map(({ id }) => `all ${id}`),
      ...created.map(({ id }) => `created ${id}`),
    ]
    const missing = () => expected.filter((one) => !there.received.has(one))
    const late = performance.now() + patience
    while (missing().length > 0 && performance.now() < late) await pause(20)
    wrong.push(...wrongWithLog(events, told).slice(0, 10), ...there.wrong)
    wrong.push(
      ...missing()
        .slice(0, 3)
        .map((one) => `not received: ${one}`),
    )
    const surplus = there.received.size - expected.length
    if (surplus > 0) wrong.push(`${surplus} received that are not in the log`)
    const { duplicates, unexplained } = repeats(there, kills, DOUBT_MS)
    wrong.push(...unexplained.slice(0, 3))
    const seconds = (performance.now() - began) / 1000
    return { events: events.length, kills: kills.length, duplicates, seconds, wrong }
  } finally {
    over = true
    for (const server of running) await end(server, 'SIGKILL')
    await leases?.close()
    await there.close()
  }

  async function kill(): Promise<void> {
    for (let at = 0; !over; at = (at + 1) % servers) {
      const enough = answered + killEvery * (0.5 + Math.random())
      await until('operations', () => over || answered >= enough)
      const server = running[at]
      if (!server || over) return
      await end(server, 'SIGKILL')
      kills.push(await killedAt())
      await leases?.runOut(at)
      await starting(at)
    }
  }
}

/** The leases of servers that share a database, which need not be waited for when one is killed. */
async function leasesIn(databaseUrl: string) {
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  const held = new Map<number, string>()
  return {
    /** The server at this place has been started, and no other one since it was last asked. */
    async taken(at: number): Promise<void> {
      const { rows } = await admin.query<{ id: string }>('select id from dispatchers')
      const known = new Set(held.values())
      const fresh = rows.find(({ id }) => !known.has(id))
      assert.ok(fresh, 'whoever serves has a lease')
      held.set(at, fresh.id)
    },
    async runOut(at: number): Promise<void> {
      await admin.query('delete from dispatchers where id = $1', [held.get(at)])
    },
    close: () => admin.end(),
  }
}

async function settled(dataDir: string, env: Record<string, string>): Promise<Home> {
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env })
  const { storage } = await openStore(config)
  return newHome(storage).finally(() => storage.close())
}

/** One webhook for all events, and one for what is made. */
async function subscribe(server: Running | undefined, home: Home, urlOf: (hook: string) => string) {
  const wanted = { all: ['*'], created: ['task.created', 'comment.created'] }
  for (const [hook, events] of Object.entries(wanted)) {
    const reply = await fetch(`http://127.0.0.1:${server?.port}/api/v1/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${home.keys.owner}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: urlOf(hook), events, secret: RECEIVED_SECRET }),
    })
    assert.equal(reply.status, 201, await reply.text())
  }
}

if (process.argv.includes('--full')) {
  const entry = 'test/support/late-events.ts'
  const control = await eventful({ operations: 5_000, killEvery: 500, entry, patience: 1_000 })
  assert.match(control.wrong.join(), /none instead of/, 'late events must be found out')
  console.log('control', control.wrong[0])
  const outcome = await eventful({ operations: 300_000, killEvery: 2_000 })
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 ? 1 : 0
}
