import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createMemoryCounter } from '#rate-limits/memory-counter.ts'
import { createRateLimiter } from '#rate-limits/rate-limiter.ts'
import { createApp } from '#server/app.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const RATE_LIMIT_MINUTE_MS = 60_000

/** Starts a Docket whose rate limit counts by a clock that the experiment sets. */
async function startLimitedServer() {
  const time = { now: Math.ceil(Date.now() / RATE_LIMIT_MINUTE_MS) * RATE_LIMIT_MINUTE_MS }
  const config = parseConfig({
    DOCKET_DATA_DIR: createTempDir(),
    DOCKET_SECRET: 'a secret of the tests',
  })
  const { storage, secret } = await openStore(config)
  const { server, appContext } = await createApp(storage, config, secret, openLog('silent'))
  const counter = createMemoryCounter()
  appContext.limits.workspace = createRateLimiter(
    { free: 500, paid: 5_000 },
    counter,
    () => time.now,
  )
  const homes = {
    free: await createTestWorkspace(storage, 'free'),
    other: await createTestWorkspace(storage, 'free'),
  }
  return { server, homes, time }
}

interface OfferedReply {
  status: number
  headers: Record<string, unknown>
}

/**
 * Sends requests concurrently, a third of them writes, and returns the replies in order of arrival.
 */
async function offerRequests(
  server: FastifyInstance,
  team: TestWorkspace,
  count: number,
): Promise<OfferedReply[]> {
  const replies: OfferedReply[] = []
  let next = 0
  async function sendRequests() {
    for (let at = next++; at < count; at = next++) {
      const headers = { authorization: `Bearer ${team.keys.owner}` }
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

const countAdmitted = (replies: readonly OfferedReply[]): number =>
  replies.filter(({ status }) => status !== 429).length

test('admits exactly 500 requests in a minute, a 429 has no effect, and the next minute begins with its first millisecond', async () => {
  const { server, homes, time } = await startLimitedServer()
  time.now += RATE_LIMIT_MINUTE_MS - 1_500
  const replies = await offerRequests(server, homes.free, 700)
  assert.equal(countAdmitted(replies), 500)
  assert.equal(countAdmitted(await offerRequests(server, homes.other, 10)), 10)
  const end = (time.now + 1_500) / 1_000
  for (const { status, headers } of replies) {
    assert.equal(headers['x-ratelimit-limit'], '500')
    assert.equal(headers['x-ratelimit-reset'], String(end))
    if (status === 429) {
      assert.equal(headers['retry-after'], '2')
      assert.equal(headers['x-ratelimit-remaining'], '0')
    }
  }
  const admittedReplies = replies.filter(({ status }) => status !== 429)
  assert.deepEqual(
    admittedReplies
      .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
      .toSorted((a, b) => b - a),
    Array.from({ length: 500 }, (_, at) => 499 - at),
  )
  time.now += 1_499
  assert.equal(countAdmitted(await offerRequests(server, homes.free, 10)), 0)
  time.now += 1
  assert.equal(countAdmitted(await offerRequests(server, homes.free, 10)), 10)

  const written = replies.filter(({ status }) => status === 201).length + 4
  const headers = { authorization: `Bearer ${homes.free.keys.owner}` }
  const project = await server.inject({ url: `/api/v1/projects/${homes.free.project}`, headers })
  const counts: Record<string, number> = project.json().task_counts
  const byCategory = ['backlog', 'unstarted', 'started', 'completed', 'canceled'].map(
    (one) => counts[one],
  )
  assert.equal(
    byCategory.reduce((sum = 0, one = 0) => sum + one, 0),
    written,
  )
})
