import { randomUUID } from 'node:crypto'
import { createClient, defineScript } from '@redis/client'
import type { CountedAlone, OpenRateLimitStore, TakeRequest } from './shared-counter.ts'

/**
 * Keys expire this long after they last changed, by which time their minute has ended a while ago. A
 * point in time would be that of another clock, by which it may have passed already.
 */
const KEY_TTL_MS = 120_000

/**
 * Atomic, so that processes that ask at the same time cannot exceed the limit together. A Redis that
 * has lost its data continues from the counts that processes have seen.
 */
const TAKE_SCRIPT = defineScript({
  SCRIPT: `
local taken = tonumber(ARGV[1])
local before, used = {}, {}
for at, key in ipairs(KEYS) do
  before[at] = tonumber(redis.call('GET', key) or '0')
  used[at] = math.max(before[at], tonumber(ARGV[2 * at + 2]))
  taken = math.min(taken, math.max(0, tonumber(ARGV[2 * at + 1]) - used[at]))
end
if taken > 0 then
  for at, key in ipairs(KEYS) do
    used[at] = redis.call('INCRBY', key, used[at] - before[at] + taken)
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
return { taken, unpack(used) }`,
  parseCommand(parser, { name, end, limit, wanted, sublimit, seen }: TakeRequest) {
    const limits = [
      { name, limit, seen: seen.used },
      ...(sublimit ? [{ ...sublimit, seen: seen.sublimitUsed }] : []),
    ]
    parser.push(String(limits.length))
    for (const one of limits) parser.pushKey(keyOf(one.name, end))
    parser.push(String(wanted), String(KEY_TTL_MS))
    for (const one of limits) parser.push(String(one.limit), String(one.seen))
  },
  transformReply: (reply: unknown) => reply as [taken: number, used: number, sublimitUsed?: number],
})

/** Adds what a process counted alone, beyond any limit; returns the count of all processes. */
const ADD_SCRIPT = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local before = tonumber(redis.call('GET', KEYS[1]) or '0')
local lost = math.max(0, tonumber(ARGV[3]) - before)
local used = redis.call('INCRBY', KEYS[1], lost + tonumber(ARGV[1]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return used`,
  parseCommand(parser, { name, end, count, seen }: CountedAlone) {
    parser.pushKey(keyOf(name, end))
    parser.push(String(count), String(KEY_TTL_MS), String(seen))
  },
  transformReply: (reply: unknown) => Number(reply),
})

/**
 * Notes by the clock of Redis that a process is there; returns how many were, lately, and the time in
 * milliseconds.
 */
const HEARTBEAT_SCRIPT = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local time = redis.call('TIME')
local now = tonumber(time[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('EXPIRE', KEYS[1], 60)
return { redis.call('ZCARD', KEYS[1]), now * 1000 + math.floor(tonumber(time[2]) / 1000) }`,
  parseCommand(parser, key: string, id: string, seconds: number) {
    parser.pushKey(key)
    parser.push(id, String(seconds))
  },
  transformReply: (reply: unknown) => {
    const [processes, now] = reply as [number, number]
    return { processes, now }
  },
})

const PROCESSES_KEY = 'docket:limit-processes'
const HEARTBEAT_MS = 1_000
/** A process that has not been seen for this time has ended. */
const PROCESS_TTL_SECONDS = 5
/** A Redis that comes back empty hears of all processes within this many heartbeats. */
const REMEMBERED_HEARTBEATS = 10
/** Until Redis has counted all of them: too many only makes the share of this one smaller. */
const ASSUMED_PROCESSES = 16

/**
 * Counters in Redis or Valkey. While the server is down or hangs, calls fail quickly without a
 * queue, and the client keeps reconnecting. `onTime` receives the time of Redis each second.
 * `isAlone` says that no other process can share the limits.
 */
export function createRedisStore(
  url: string,
  onTime: (ms: number) => void = () => {},
  isAlone = false,
): OpenRateLimitStore {
  const client = createClient({
    url,
    scripts: { take: TAKE_SCRIPT, add: ADD_SCRIPT, heartbeat: HEARTBEAT_SCRIPT },
    disableOfflineQueue: true,
    pingInterval: 3_000,
    socket: {
      connectTimeout: 500,
      // For a connection that is dead unnoticed. A process can be late by seconds itself, and would
      // blame a living one. With the default strategy a timeout would close the client for good.
      socketTimeout: 10_000,
      reconnectStrategy: (tries) => Math.min(50 + tries * 100, 1_000),
    },
  })
  // Without a listener an error would end the process; callers receive it by their own promise.
  client.on('error', () => {})
  const id = randomUUID()
  let recentCounts = [isAlone ? 1 : ASSUMED_PROCESSES]
  async function beat(): Promise<void> {
    const { processes, now } = await client.heartbeat(PROCESSES_KEY, id, PROCESS_TTL_SECONDS)
    onTime(now)
    recentCounts = [processes, ...recentCounts].slice(0, REMEMBERED_HEARTBEATS)
  }
  // A heartbeat that fails is followed by the next; calls of `take` tell of the trouble.
  const tryToBeat = () => beat().catch(() => {})
  const connected = client.connect().then(tryToBeat, () => {})
  const heartbeat = setInterval(tryToBeat, HEARTBEAT_MS)
  heartbeat.unref()
  return {
    ready: () => connected,
    timeoutMs: 1_000,
    graceMs: 3_000,
    // The client pipelines the commands of one turn of the event loop.
    take: (requests) =>
      Promise.all(
        requests.map(async (request) => {
          const [taken = 0, used = 0, sublimitUsed = 0] = await client.take(request)
          return { used, sublimitUsed, taken }
        }),
      ),
    async report(counts) {
      const [, ...used] = await Promise.all([
        client.ping(),
        ...counts.map((one) => client.add(one)),
      ])
      return used
    },
    countProcesses: () => Math.max(...recentCounts),
    async close() {
      clearInterval(heartbeat)
      client.destroy()
      await connected
    },
  }
}

const keyOf = (name: string, end: number) => `docket:limit:${name}:${end / 1000}`
