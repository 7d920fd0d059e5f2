import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLimitProcesses } from '#db/postgres/limit-processes.ts'
import {
  type LimitedServers,
  OUTAGES,
  type Scenario,
  startLimitedServers,
} from '../experiments/limits/redis-outages.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { redisProgram } from '../support/services/redis.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const SCALE = { limit: 60, pauseMs: 100, outageMs: 3_000 }

test('processes that share limits know how many they are, without Redis', async () => {
  const { config } = await openFreshDocket('postgres')
  const url = config.databaseUrl ?? ''
  const one = createLimitProcesses(url, 20)
  await one.ready()
  assert.equal(one.count(), 1)
  const other = createLimitProcesses(url)
  await other.ready()
  assert.equal(other.count(), 2)
  await waitUntil('the first one knows the other', () => one.count() === 2)
  await other.close()
  const third = createLimitProcesses(url)
  await third.ready()
  assert.equal(third.count(), 2, 'the one that has ended is not counted')
  await Promise.all([one.close(), third.close()])
})

if (redisProgram) {
  const url = process.env.TEST_POSTGRES ?? ''
  let servers: LimitedServers
  before(async () => {
    servers = await startLimitedServers(url, SCALE)
  })
  after(() => servers.close())

  for (const name of ['Redis killed, and empty when it is back', 'Redis frozen'] as const) {
    test(`${name}: servers exceed a limit by at most the share of one, without 5xx`, async () => {
      const result = await servers.runOutage(OUTAGES[name])
      console.log(`    ${JSON.stringify(result)}`)
      assert.ok(result.overLimit <= result.share, `${result.overLimit} over the limit`)
      assert.ok(result.fullMinutes >= 2)
      assert.deepEqual(Object.keys(result.statuses), ['200', '429'])
    })
  }

  test('control: servers that count separately exceed the limit', async () => {
    const separate = await startLimitedServers(url, SCALE, true)
    const untilExceeded: Scenario = ({ countMostAdmitted }) =>
      waitUntil('more than the limit', () => countMostAdmitted() >= 1.5 * SCALE.limit)
    const { overLimit, share } = await separate.runOutage(untilExceeded).finally(separate.close)
    assert.ok(overLimit > share, `${overLimit} over the limit`)
  })
}
