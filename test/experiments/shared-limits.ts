import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'
import { globalSetup, globalTeardown } from '../support/postgres.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { redisProgram, startRedis } from '../support/redis.ts'
import { send } from './load.ts'

const PROCESSES = 4
const MINUTE = 60_000
const LIMITS = { free: 500, paid: 5_000 }

/** How many workspaces of which plan, and how many requests more than their limit each is offered. */
export interface Offer {
  free: number
  paid: number
  more: number
  /** Limits that are asked of the servers; those of the contract if it says nothing. */
  limits?: { free: number; paid: number }
}

/** What a workspace was told in one minute of the store's clock. */
interface Minute {
  limit: number
  admitted: number
  refused: number
}

/**
 * E13 through servers: offers each workspace more than its minute holds, over four processes at once.
 * Gives what was not exact: minutes in which a workspace was admitted more than its limit, or was refused
 * something below it; and how many were refused nothing.
 */
export async function inexact(env: Record<string, string>, offer: Offer): Promise<string[]> {
  const { limits = LIMITS } = offer
  const dataDirs = Array.from({ length: PROCESSES }, () => emptyDir())
  const place = { DOCKET_DATA_DIR: dataDirs[0] ?? '', DOCKET_SECRET: SECRET, ...env }
  const { storage } = await openStore(configFrom(place))
  const homes: Home[] = []
  for (const plan of ['free', 'paid'] as const) {
    for (let n = 0; n < offer[plan]; n++) homes.push(await newHome(storage, plan))
  }
  await storage.close()
  const own = {
    ...env,
    DOCKET_LIMIT_FREE: String(limits.free),
    DOCKET_LIMIT_PAID: String(limits.paid),
  }
  const servers: Running[] = []
  for (const dir of dataDirs) servers.push(await start(dir, { part: 'serve', env: own }))
  const minutes = new Map<string, Minute>()
  // One that is nearly over would have most of the requests in the next.
  const left = MINUTE - (Date.now() % MINUTE)
  if (left < (limits === LIMITS ? 55_000 : 20_000)) await pause(left + 200)
  const turns = homes.map((home, at) => ({
    home,
    left: (at < offer.free ? limits.free : limits.paid) + offer.more,
  }))
  await Promise.all(
    servers.flatMap(({ port }) => Array.from({ length: 8 }, (_, at) => ask(port, at * 7))),
  )
  // A store that does not answer in time is left alone for a second, and then nothing is exact (R3).
  const losses = (await Promise.all(servers.map(({ port }) => lossesOf(port)))).reduce(
    (a, b) => a + b,
  )
  await Promise.all(servers.map((server) => end(server, 'SIGKILL')))
  const wrong = [...minutes].filter(([, { limit, admitted, refused }]) => {
    return admitted > limit || (refused > 0 && admitted !== limit)
  })
  const full = [...minutes.values()].filter(({ refused }) => refused > 0).length
  console.log(
    `    ${minutes.size} minutes of ${homes.length} workspaces, ${full} of them full; the store was given up ${losses} times`,
  )
  return [
    ...wrong.map(([name, one]) => `${name}: ${one.admitted} of ${one.limit}`),
    ...(full < homes.length ? [`${homes.length - full} workspaces were refused nothing`] : []),
  ]

  /** Asks for one workspace after the other, so that all of them are asked at the same time. */
  async function ask(port: number, from: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let at = from, none = 0; none < turns.length; at++) {
      const turn = turns[at % turns.length]
      if (!turn || turn.left <= 0) {
        none += 1
        continue
      }
      none = 0
      turn.left -= 1
      const headers = { authorization: `Bearer ${turn.home.keys.owner}` }
      const reply = await send(agent, port, 'GET', '/api/v1/me', headers)
      if (reply.status === 503) turn.left += 1
      else note(turn.home.workspace, reply.status, reply.headers)
    }
    agent.destroy()
  }

  function note(workspace: string, status: number, headers: Record<string, unknown>): void {
    assert.ok(status === 200 || status === 429, String(status))
    const name = `${workspace} ${headers['x-ratelimit-reset']}`
    const minute = minutes.get(name) ?? {
      limit: Number(headers['x-ratelimit-limit']),
      admitted: 0,
      refused: 0,
    }
    if (status === 200) minute.admitted += 1
    else minute.refused += 1
    minutes.set(name, minute)
  }
}

async function lossesOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^docket_limit_store_losses_total (\d+)$/m.exec(text)?.[1])
}

if (process.argv.includes('--full') || process.argv.includes('--small')) {
  // Each directory and each process is cleared away at the end.
  process.setMaxListeners(100)
  const small = { limits: { free: 20, paid: 60 }, free: 20, paid: 2, more: 20 }
  const isFull = process.argv.includes('--full')
  const many = isFull ? { free: 200, paid: 0, more: 50 } : small
  const deep = isFull ? { free: 0, paid: 5, more: 500 } : small
  await globalSetup()
  const database = { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES ?? '' }
  const nowhere = { ...database, DOCKET_REDIS_URL: 'redis://127.0.0.1:9' }
  const alone = await inexact(nowhere, small)
  assert.ok(alone.length > 0, 'processes that count each alone must be found out')
  console.log(`  control: ${alone.length} found out`)
  const redis = redisProgram ? await startRedis(redisProgram) : undefined
  const stores = {
    PostgreSQL: database,
    ...(redis && { Redis: { ...database, DOCKET_REDIS_URL: redis.url } }),
  }
  for (const [what, env] of Object.entries(stores)) {
    for (const offer of [many, deep]) {
      const wrong = await inexact(env, offer)
      console.log(
        `${wrong.length ? '✗' : ' '} ${what}: ${wrong.length} minutes are not exact`,
        wrong.slice(0, 5),
      )
      if (wrong.length > 0) process.exitCode = 1
    }
  }
  await redis?.kill()
  await globalTeardown()
}
