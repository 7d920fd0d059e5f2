import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  admitted,
  counted,
  exact,
  limited,
  MINUTE,
  offer,
  readThenWrite,
} from '../experiments/limit.ts'

test('of 2,000 requests in a minute exactly 500 are admitted, and other workspaces are served', async () => {
  const docket = await limited(counted)
  assert.deepEqual(await exact(docket, 2, { free: 2_000, other: 300, paid: 600 }), [
    [500, 300, 600, 0],
    [500, 300, 600, 0],
  ])
})

test('a limit that is read first and written then is found out', async () => {
  const docket = await limited(readThenWrite)
  const [counts] = await exact(docket, 1, { free: 2_000, other: 300, paid: 300 })
  assert.ok(counts?.[0] !== undefined && counts[0] > 500)
})

test('a refused request has no effect, and the next minute begins with its first millisecond', async () => {
  const { server, homes, time } = await limited(counted)
  time.now += MINUTE - 1_500
  const replies = await offer(server, homes.free, 700)
  assert.equal(admitted(replies), 500)
  const end = (time.now + 1_500) / 1_000
  for (const { status, headers } of replies) {
    assert.equal(headers['x-ratelimit-limit'], '500')
    assert.equal(headers['x-ratelimit-reset'], String(end))
    if (status === 429) {
      assert.equal(headers['retry-after'], '2')
      assert.equal(headers['x-ratelimit-remaining'], '0')
    }
  }
  const left = replies.filter(({ status }) => status !== 429)
  assert.deepEqual(
    left.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).toSorted((a, b) => b - a),
    Array.from({ length: 500 }, (_, at) => 499 - at),
  )
  time.now += 1_499
  assert.equal(admitted(await offer(server, homes.free, 10)), 0)
  time.now += 1
  assert.equal(admitted(await offer(server, homes.free, 10)), 10)

  const written = replies.filter(({ status }) => status === 201).length + 4
  const headers = { authorization: `Bearer ${homes.free.keys.owner}` }
  const project = await server.inject({ url: `/api/v1/projects/${homes.free.project}`, headers })
  const counts: Record<string, number> = project.json().task_counts
  const found = ['backlog', 'unstarted', 'started', 'completed', 'canceled'].map(
    (one) => counts[one],
  )
  assert.equal(
    found.reduce((sum = 0, one = 0) => sum + one, 0),
    written,
  )
})
