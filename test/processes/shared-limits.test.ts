import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, test } from 'node:test'
import { createMemoryCounter } from '#rate-limits/memory-counter.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import {
  assertExactLimit,
  assertExactSublimits,
  assertSharedLimit,
  countTo,
  endOfNextMinute,
  sortNumbers,
  startSpenders,
} from '../support/server/shared-limits.ts'

const { spend, end } = startSpenders()
after(end)

test('processes on one PostgreSQL admit exactly the limit and each sublimit together', async () => {
  const databaseUrl = await findDatabaseUrl()
  await assertExactLimit(spend, { databaseUrl })
  await assertExactSublimits(spend, { databaseUrl })
})

test('processes that get little processor time admit exactly the limit, too', async () => {
  const databaseUrl = await findDatabaseUrl()
  const loops = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);']))
  try {
    const end = endOfNextMinute()
    const name = `wsp_busy_${end}`
    const spent = await spend({ databaseUrl, names: [name], end, each: 500, limit: 1_500 })
    assert.deepEqual(sortNumbers(spent.get(name)), countTo(1_500))
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
})

async function findDatabaseUrl(): Promise<string> {
  const { databaseUrl } = (await openTestDocket('postgres')).config
  assert.ok(databaseUrl)
  return databaseUrl
}

test('two servers on one PostgreSQL share the limit of a workspace while their clocks differ', () =>
  assertSharedLimit())

test('the counter in memory starts again with each minute', () => {
  const counter = createMemoryCounter()
  const spend = (end: number) => counter.spend({ name: 'a', end, limit: 1 }).refusedBy
  assert.deepEqual([1, 1, 2].map(spend), [undefined, 'limit', undefined])
})
