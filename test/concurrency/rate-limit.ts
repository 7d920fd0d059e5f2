import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createMemoryCounter } from '#rate-limits/memory-counter.ts'
import { createRateLimiter, type RateLimiter } from '#rate-limits/rate-limiter.ts'
import { createApp } from '#server/app.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

export const RATE_LIMIT_MINUTE_MS = 60_000

/** Starts a Docket whose rate limit counts by a clock that the experiment sets. */
export async function startLimitedServer(make: (clock: () => number) => RateLimiter) {
  const time = { now: Math.ceil(Date.now() / RATE_LIMIT_MINUTE_MS) * RATE_LIMIT_MINUTE_MS }
  const config = parseConfig({
    DOCKET_DATA_DIR: createTempDir(),
    DOCKET_SECRET: 'a secret of the tests',
  })
  const { storage, secret } = await openStore(config)
  const { server, appContext } = await createApp(storage, config, secret, openLog('silent'))
  appContext.limit = make(() => time.now)
  const homes = {
    free: await createTestWorkspace(storage, 'free'),
    other: await createTestWorkspace(storage, 'free'),
    paid: await createTestWorkspace(storage, 'paid'),
  }
  return { server, homes, time }
}

/** Creates the rate limit of a real server. */
export const createServedRateLimit = (clock: () => number): RateLimiter =>
  createRateLimiter({ free: 500, paid: 5_000 }, createMemoryCounter(), clock)

export interface OfferedReply {
  status: number
  headers: Record<string, unknown>
}

/**
 * Sends requests concurrently, a third of them writes, and returns the replies in order of arrival.
 */
export async function offerRequests(
  server: FastifyInstance,
  team: TestWorkspace,
  count: number,
  credential = team.keys.owner,
): Promise<OfferedReply[]> {
  const replies: OfferedReply[] = []
  let next = 0
  async function sendRequests() {
    for (let at = next++; at < count; at = next++) {
      const headers = { authorization: `Bearer ${credential}` }
      const payload = { project_id: team.project, title: `Offered ${at}` }
      const reply = await server.inject(
        at % 3 === 0
          ? { method: 'POST', url: '/api/v1/tasks', headers, payload }
          : { url: `/api/v1/projects${at % 3 === 1 ? '?limit=0' : ''}`, headers },
      )
      replies.push({ status: reply.statusCode, headers: reply.headers })
      if (at % 50 === 0) await pause(0)
    }
  }
  await Promise.all(Array.from({ length: 64 }, sendRequests))
  return replies
}

/** Counts the replies that are neither 429 nor 401. */
export const countAdmitted = (replies: readonly OfferedReply[]): number =>
  replies.filter(({ status }) => status !== 429 && status !== 401).length

/** Offers more requests than a minute allows, for some minutes, to several workspaces at once. */
export async function countAdmittedByMinute(
  { server, homes, time }: Awaited<ReturnType<typeof startLimitedServer>>,
  minutes: number,
  { free, other, paid }: { free: number; other: number; paid: number },
) {
  const counts = []
  for (let minute = 0; minute < minutes; minute++) {
    const [one, two, three, strangers] = await Promise.all([
      offerRequests(server, homes.free, free),
      offerRequests(server, homes.other, other),
      offerRequests(server, homes.paid, paid),
      offerRequests(server, homes.free, 100, 'dkt_unknown'),
    ])
    counts.push([
      countAdmitted(one),
      countAdmitted(two),
      countAdmitted(three),
      countAdmitted(strangers),
    ])
    time.now += RATE_LIMIT_MINUTE_MS
  }
  return counts
}
