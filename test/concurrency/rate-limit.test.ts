import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countAdmitted,
  countAdmittedByMinute,
  createServedRateLimit,
  offerRequests,
  RATE_LIMIT_MINUTE_MS,
  startLimitedServer,
} from './rate-limit.ts'

test('admits exactly 500 of 1,000 requests in a minute, and serves other workspaces', async () => {
  const docket = await startLimitedServer(createServedRateLimit)
  assert.deepEqual(await countAdmittedByMinute(docket, 2, { free: 1_000, other: 100, paid: 600 }), [
    [500, 100, 600, 0],
    [500, 100, 600, 0],
  ])
})

test('a 429 has no effect, and the next minute begins with its first millisecond', async () => {
  const { server, homes, time } = await startLimitedServer(createServedRateLimit)
  time.now += RATE_LIMIT_MINUTE_MS - 1_500
  const replies = await offerRequests(server, homes.free, 700)
  assert.equal(countAdmitted(replies), 500)
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
