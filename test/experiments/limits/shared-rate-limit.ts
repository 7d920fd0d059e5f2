import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { globalSetup, globalTeardown } from '../../support/postgres.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { redisProgram, startRedis } from '../../support/services/redis.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'
import { sendHttp } from '../load/http-writers.ts'

const PROCESSES = 4
const MINUTE_MS = 60_000
const LIMITS = { free: 500, paid: 5_000 }

/** How many workspaces of each plan there are, and how far each one exceeds its limit. */
export interface OfferedLoad {
  free: number
  paid: number
  more: number
  /** Limits of the servers. The defaults are those of docs/spec/api.md#rate-limits. */
  limits?: { free: number; paid: number }
}

/** The replies to a workspace in one minute of the store's clock. */
interface ObservedMinute {
  limit: number
  admitted: number
  refused: number
}

/**
 * Offers each workspace more than its minute allows, through four server processes at once. Returns
 * the minutes in which a workspace was admitted more than its limit or was refused below it, and
 * how many workspaces were refused nothing.
 */
export async function findInexactMinutes(
  env: Record<string, string>,
  offer: OfferedLoad,
): Promise<string[]> {
  const { limits = LIMITS } = offer
  const dataDirs = Array.from({ length: PROCESSES }, () => createTempDir())
  const place = { DOCKET_DATA_DIR: dataDirs[0] ?? '', DOCKET_SECRET: TEST_SECRET, ...env }
  const { storage } = await openStore(parseConfig(place))
  const homes: TestWorkspace[] = []
  for (const plan of ['free', 'paid'] as const) {
    for (let n = 0; n < offer[plan]; n++) homes.push(await createTestWorkspace(storage, plan))
  }
  await storage.close()
  const serverEnv = {
    ...env,
    DOCKET_LIMIT_FREE: String(limits.free),
    DOCKET_LIMIT_PAID: String(limits.paid),
  }
  const servers: ServerProcess[] = []
  for (const dir of dataDirs)
    servers.push(await startServer(dir, { role: 'serve', env: serverEnv }))
  const minutes = new Map<string, ObservedMinute>()
  // In a minute that is nearly over most of the requests would fall into the next one.
  const left = MINUTE_MS - (Date.now() % MINUTE_MS)
  if (left < (limits === LIMITS ? 55_000 : 20_000)) await pause(left + 200)
  const remaining = homes.map((team, at) => ({
    team,
    left: (at < offer.free ? limits.free : limits.paid) + offer.more,
  }))
  await Promise.all(
    servers.flatMap(({ port }) => Array.from({ length: 8 }, (_, at) => sendAll(port, at * 7))),
  )
  // A store that does not answer in time is skipped for a second, in which processes count alone.
  const storeLosses = (await Promise.all(servers.map(({ port }) => readStoreLosses(port)))).reduce(
    (a, b) => a + b,
  )
  await Promise.all(servers.map((server) => endServer(server, 'SIGKILL')))
  const wrong = [...minutes].filter(([, { limit, admitted, refused }]) => {
    return admitted > limit || (refused > 0 && admitted !== limit)
  })
  const full = [...minutes.values()].filter(({ refused }) => refused > 0).length
  console.log(
    `    ${minutes.size} minutes of ${homes.length} workspaces, ${full} of them full; the store was given up ${storeLosses} times`,
  )
  return [
    ...wrong.map(([name, one]) => `${name}: ${one.admitted} of ${one.limit}`),
    ...(full < homes.length ? [`${homes.length - full} workspaces were refused nothing`] : []),
  ]

  /** Takes the workspaces in turn, so that all of them are under load at the same time. */
  async function sendAll(port: number, from: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let at = from, skipped = 0; skipped < remaining.length; at++) {
      const next = remaining[at % remaining.length]
      if (!next || next.left <= 0) {
        skipped += 1
        continue
      }
      skipped = 0
      next.left -= 1
      const headers = { authorization: `Bearer ${next.team.keys.owner}` }
      const reply = await sendHttp(agent, port, 'GET', '/api/v1/me', headers)
      if (reply.status === 503) next.left += 1
      else recordReply(next.team.workspace, reply.status, reply.headers)
    }
    agent.destroy()
  }

  function recordReply(workspace: string, status: number, headers: Record<string, unknown>): void {
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

async function readStoreLosses(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^docket_limit_store_losses_total (\d+)$/m.exec(text)?.[1])
}

if (process.argv.includes('--full') || process.argv.includes('--small')) {
  // Each directory and each process adds a listener for its removal at the end.
  process.setMaxListeners(100)
  const small = { limits: { free: 20, paid: 60 }, free: 20, paid: 2, more: 20 }
  const isFull = process.argv.includes('--full')
  const many = isFull ? { free: 200, paid: 0, more: 50 } : small
  const deep = isFull ? { free: 0, paid: 5, more: 500 } : small
  await globalSetup()
  const database = { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES ?? '' }
  const withoutStore = { ...database, DOCKET_REDIS_URL: 'redis://127.0.0.1:9' }
  const controlFaults = await findInexactMinutes(withoutStore, small)
  assert.ok(controlFaults.length > 0, 'processes that count each alone must be found out')
  console.log(`  control: ${controlFaults.length} found out`)
  const redis = redisProgram ? await startRedis(redisProgram) : undefined
  const stores = {
    PostgreSQL: database,
    ...(redis && { Redis: { ...database, DOCKET_REDIS_URL: redis.url } }),
  }
  for (const [what, env] of Object.entries(stores)) {
    for (const offer of [many, deep]) {
      const wrong = await findInexactMinutes(env, offer)
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
