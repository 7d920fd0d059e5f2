import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRedisStore } from '#rate-limits/redis-store.ts'
import { redisProgram } from '../../support/services/redis.ts'
import { type LimitedServers, OUTAGES, startLimitedServers } from './redis-outages.ts'

const SCALE = { limit: 60, pauseMs: 100, outageMs: 3_000 }

test('a process that starts while Redis is gone assumes many others, unless there can be none', async () => {
  const url = 'redis://127.0.0.1:1'
  const stores = [createRedisStore(url), createRedisStore(url, undefined, true)]
  assert.deepEqual(
    stores.map((store) => store.countProcesses?.()),
    [16, 1],
  )
  await Promise.all(stores.map((store) => store.close()))
})

if (redisProgram) {
  const url = process.env.TEST_POSTGRES ?? ''
  let servers: LimitedServers
  before(async () => {
    servers = await startLimitedServers(url, SCALE)
  })
  after(() => servers.close())

  for (const [name, scenario] of Object.entries(OUTAGES)) {
    test(`${name}: servers exceed a limit by at most the share of one, without 5xx`, async () => {
      const result = await servers.runOutage(scenario)
      console.log(`    ${JSON.stringify(result)}`)
      assert.ok(result.overLimit <= result.share, `${result.overLimit} over the limit`)
      assert.ok(result.fullMinutes >= 2)
      assert.deepEqual(Object.keys(result.statuses), ['200', '429'])
    })
  }
}
