import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createMemoryCounter } from '#rate-limits/memory-counter.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import {
  assertExactLimit,
  assertExactSublimits,
  assertSharedLimit,
  startSpenders,
} from '../support/server/shared-limits.ts'

const { spend, end } = startSpenders()
after(end)

test('processes on one PostgreSQL admit exactly the limit and each sublimit together', async () => {
  const { databaseUrl } = (await openTestDocket('postgres')).config
  await assertExactLimit(spend, { databaseUrl, redisUrl: undefined })
  await assertExactSublimits(spend, { databaseUrl, redisUrl: undefined })
})

test('two servers on one PostgreSQL share the limit of a workspace while their clocks differ', () =>
  assertSharedLimit({}))

test('the counter in memory starts again with each minute', () => {
  const counter = createMemoryCounter()
  const spend = (end: number) => counter.spend({ name: 'a', end, limit: 1 }).refusedBy
  assert.deepEqual([1, 1, 2].map(spend), [undefined, 'limit', undefined])
})
