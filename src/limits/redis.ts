import { createClient, defineScript } from '@redis/client'
import type { OpenStore } from './shared.ts'

/** Keys outlive their minute by as much as clocks of processes may differ. */
const SPARE_MS = 60_000

/** In one step, so that processes that ask at once are given no more than there is. */
const TAKE = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local taken = math.min(tonumber(ARGV[2]), math.max(0, tonumber(ARGV[1]) - used))
if taken > 0 then
  used = redis.call('INCRBY', KEYS[1], taken)
  redis.call('PEXPIREAT', KEYS[1], ARGV[3])
end
return { used, taken }`,
  parseCommand(parser, key: string, limit: number, wanted: number, expiresAt: number) {
    parser.pushKey(key)
    parser.push(String(limit), String(wanted), String(expiresAt))
  },
  transformReply: (reply: unknown) => reply as [used: number, taken: number],
})

/**
 * Counters in Redis or Valkey. A server that is gone or hangs fails its callers soon, and is looked
 * for again and again until it is back; nothing waits for it in a queue.
 */
export function redisStore(url: string): OpenStore {
  const client = createClient({
    url,
    scripts: { take: TAKE },
    disableOfflineQueue: true,
    pingInterval: 400,
    socket: {
      connectTimeout: 500,
      socketTimeout: 1_000,
      // Without one of our own a time-out would close the client for good.
      reconnectStrategy: (tries) => Math.min(50 + tries * 100, 1_000),
    },
  })
  // Without a listener an error would end the process; callers are told by their own.
  client.on('error', () => {})
  const connected = client.connect().catch(() => {})
  return {
    ready: () => connected,
    patienceMs: 100,
    // Sent together: the client writes what is asked in one turn at once.
    take: (asked) =>
      Promise.all(
        asked.map(async ({ name, end, limit, wanted }) => {
          const key = `docket:limit:${name}:${end / 1000}`
          const [used = 0, taken = 0] = await client.take(key, limit, wanted, end + SPARE_MS)
          return { used, taken }
        }),
      ),
    async close() {
      client.destroy()
      await connected
    },
  }
}
