import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { sendHttp } from '../../support/load/http-writers.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { type DelayProxy, startDelayProxy } from '../../support/services/delay-proxy.ts'
import { type RedisServer, redisProgram, startRedis } from '../../support/services/redis.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'

const PROCESSES = 4
const MINUTE_MS = 60_000

/** How many requests are sent, and for how long. */
export interface OutageScale {
  limit: number
  /** The pause of each client between two requests. Each server has two clients per workspace. */
  pauseMs: number
  /** How long the disturbance lasts, and the time before and after it. */
  outageMs: number
}

/** What a scenario can disturb. */
interface Outage {
  redis: RedisServer
  proxy: DelayProxy
  outageMs: number
  /** Starts another server, and sends it its part of the load. */
  startAnother(): Promise<void>
  /** From now on the second workspace sends its requests to other servers than before. */
  moveLoad(): void
  /** The most requests of a workspace that servers have admitted in one minute. */
  countMostAdmitted(): number
}

/** What happens while clients send requests. */
export type Scenario = (outage: Outage) => Promise<void>

const delayBy =
  (ms: number): Scenario =>
  async ({ proxy, outageMs }) => {
    proxy.delay(ms)
    await pause(outageMs)
    proxy.delay(0)
  }

const flapEvery =
  (ms: number): Scenario =>
  async ({ proxy, outageMs }) => {
    for (let left = outageMs; left > 0; left -= 2 * ms) {
      proxy.cut()
      await pause(ms)
      proxy.restore()
      await pause(ms)
    }
  }

export const OUTAGES = {
  'a delay of 50 ms': delayBy(50),
  'a delay of 200 ms': delayBy(200),
  'a delay of 1,000 ms': delayBy(1_000),
  'Redis frozen': async ({ redis, outageMs, moveLoad }) => {
    redis.signal('SIGSTOP')
    moveLoad()
    await pause(outageMs)
    redis.signal('SIGCONT')
  },
  'Redis killed, and empty when it is back': async ({ redis, outageMs, moveLoad }) => {
    await redis.kill()
    moveLoad()
    await pause(outageMs)
    await redis.start()
  },
  'a connection that comes and goes each second': flapEvery(1_000),
  'a connection that comes and goes every two seconds': flapEvery(2_000),
  'a server that starts while Redis is gone': async ({ redis, outageMs, startAnother }) => {
    await redis.kill()
    await startAnother()
    await pause(outageMs)
    await redis.start()
  },
} satisfies Record<string, Scenario>

/** What clients have seen of an outage. */
export interface OutageResult {
  /** By how many requests a workspace exceeded its limit in a minute, at most; 0 if none did. */
  overLimit: number
  /** The share of one process in the limit. */
  share: number
  /** How many minutes of workspaces had rejected requests. */
  fullMinutes: number
  /** How often each status occurred. */
  statuses: Record<number, number>
  /** Of the replies, in milliseconds: the median and the 99th percentile. */
  latencies: { p50: number; p99: number }
}

/** Servers on one PostgreSQL and one Redis. */
export interface LimitedServers {
  /** Sends more requests than the limit, and disturbs the connection to Redis meanwhile. */
  runOutage(scenario: Scenario): Promise<OutageResult>
  close(): Promise<void>
}

/**
 * Starts servers that share limits.
 */
export async function startLimitedServers(
  databaseUrl: string,
  scale: OutageScale,
): Promise<LimitedServers> {
  assert.ok(redisProgram, 'There is no redis-server on this machine')
  const redis = await startRedis(redisProgram)
  const proxy = await startDelayProxy(Number(new URL(redis.url).port))
  const env = {
    DOCKET_DATABASE_URL: databaseUrl,
    DOCKET_LIMIT_FREE: String(scale.limit),
    DOCKET_SECRET: TEST_SECRET,
  }
  const servers: ServerProcess[] = []
  const start = async (at: number) => {
    const DOCKET_REDIS_URL = `redis://127.0.0.1:${proxy.port}/0`
    const options = { role: 'serve' as const, env: { ...env, DOCKET_REDIS_URL } }
    servers[at] = await startServer(createTempDir(), options)
  }
  await Promise.all(Array.from({ length: PROCESSES }, (_, at) => start(at)))
  const deps = { redis, proxy, env, servers, start }
  return {
    runOutage: (scenario) => runOutage(deps, scenario, scale),
    async close() {
      await Promise.all(servers.map((server) => endServer(server, 'SIGKILL')))
      await proxy.close()
      await redis.kill()
    },
  }
}

interface OutageDeps {
  redis: RedisServer
  proxy: DelayProxy
  env: Record<string, string>
  servers: ServerProcess[]
  start(at: number): Promise<void>
}

async function runOutage(
  { redis, proxy, env, servers, start }: OutageDeps,
  scenario: Scenario,
  { limit, pauseMs, outageMs }: OutageScale,
): Promise<OutageResult> {
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: createTempDir(), ...env }))
  const homes = [
    await createTestWorkspace(storage, 'free'),
    await createTestWorkspace(storage, 'free'),
  ]
  await storage.close()

  const admitted = new Map<string, number>()
  const full = new Set<string>()
  const statuses: Record<number, number> = {}
  const latencies: number[] = []
  let isOver = false
  let isMoved = false
  const [spread, moving] = homes.map(({ keys }) => ({ authorization: `Bearer ${keys.owner}` }))

  /** One workspace sends to all servers; the other to the first, and after a move to the others. */
  async function sendRequests(server: ServerProcess, at: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 })
    const send = async (name: string, headers: Record<string, string> = {}) => {
      const begin = performance.now()
      const reply = await sendHttp(agent, server.port, 'GET', '/api/v1/me', headers)
      latencies.push(performance.now() - begin)
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
      const minute = `${name} ${reply.headers['x-ratelimit-reset']}`
      if (reply.status === 200) admitted.set(minute, (admitted.get(minute) ?? 0) + 1)
      if (reply.status === 429) full.add(minute)
    }
    while (!isOver) {
      await Promise.all([
        send('spread', spread),
        ...((at === 0) === isMoved ? [] : [send('moving', moving)]),
        pause(pauseMs),
      ])
    }
    agent.destroy()
  }

  const countMostAdmitted = () => Math.max(0, ...admitted.values())
  const clients: Promise<unknown>[] = []
  const addClients = (at: number) => {
    const server = servers[at]
    if (server) clients.push(sendRequests(server, at), sendRequests(server, at))
  }
  // So that the outage falls into one minute as a whole, if it is shorter.
  const left = MINUTE_MS - (Date.now() % MINUTE_MS)
  if (left < Math.min(2 * outageMs, 55_000)) await pause(left + 100)
  for (const at of servers.keys()) addClients(at)
  await pause(outageMs / 2)
  await scenario({
    redis,
    proxy,
    outageMs,
    countMostAdmitted,
    moveLoad() {
      isMoved = true
    },
    async startAnother() {
      const at = servers.length
      await start(at)
      addClients(at)
    },
  })
  await pause(outageMs / 2)
  isOver = true
  await Promise.all(clients)
  latencies.sort((a, b) => a - b)
  const percentile = (part: number) =>
    Math.round(latencies[Math.floor(latencies.length * part)] ?? 0)
  return {
    overLimit: Math.max(0, countMostAdmitted() - limit),
    share: Math.ceil(limit / PROCESSES),
    fullMinutes: full.size,
    statuses,
    latencies: { p50: percentile(0.5), p99: percentile(0.99) },
  }
}
