import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, test } from 'node:test'
import { createRedisStore } from '#rate-limits/redis-store.ts'
import { createSharedCounter } from '#rate-limits/shared-counter.ts'
import {
  assertExactLimit,
  assertExactSublimits,
  assertSharedLimit,
  countTo,
  endOfNextMinute,
  sortNumbers,
  startSpenders,
} from '../../support/server/shared-limits.ts'
import { redisProgram, startRedis } from '../../support/services/redis.ts'
import { waitUntil } from '../../support/system/wait-until.ts'

if (redisProgram) {
  const program = redisProgram
  const { spend, end } = startSpenders()
  after(end)
  const sharedRedis = startRedis(program)
  after(async () => (await sharedRedis).kill())

  test('processes on one Redis admit exactly the limit together', async () => {
    const redis = await sharedRedis
    await assertExactLimit(spend, { databaseUrl: undefined, redisUrl: redis.url })
  })

  test('two servers on one Redis share the limit of a workspace while their clocks differ', async () => {
    const redis = await sharedRedis
    await assertSharedLimit({ DOCKET_REDIS_URL: redis.url })
  })

  test('processes on one Redis admit exactly each sublimit within the limit', async () => {
    const redis = await sharedRedis
    await assertExactSublimits(spend, { databaseUrl: undefined, redisUrl: redis.url })
  })

  test('processes that get little processor time admit exactly the limit, too', async () => {
    const redis = await sharedRedis
    const loops = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);']))
    try {
      const end = endOfNextMinute()
      const name = `wsp_busy_${end}`
      const spending = { databaseUrl: undefined, redisUrl: redis.url, names: [name], end }
      const spent = await spend({ ...spending, each: 500, limit: 1_500 })
      assert.deepEqual(sortNumbers(spent.get(name)), countTo(1_500))
    } finally {
      for (const loop of loops) loop.kill('SIGKILL')
    }
  })

  test('a Redis that comes back empty continues from the counts that processes have seen', async () => {
    const redis = await startRedis(program)
    const reported: string[] = []
    const store = createRedisStore(redis.url, undefined, true)
    const counter = createSharedCounter(store, {
      onLost: () => reported.push('lost'),
      onRecovered: () => reported.push('found'),
    })
    const request = {
      name: 'a',
      end: endOfNextMinute(),
      limit: 100,
      sublimit: { name: 'key', limit: 60 },
    }
    const spendTimes = async (times: number) => {
      const results = Array.from({ length: times }, () => counter.spend(request))
      return (await Promise.all(results)).filter(({ refusedBy }) => !refusedBy).length
    }
    await store.ready()
    assert.equal(await spendTimes(50), 50)
    await redis.kill()
    assert.equal(await spendTimes(4), 4)
    await redis.start()
    await waitUntil('Redis is back', () => reported.at(-1) === 'found')
    assert.equal(await spendTimes(50), 6)
    await redis.kill()
    await redis.start()
    // No request was sent meanwhile, so only the connection has noticed.
    await waitUntil('Redis answers', () => store.report([]).then(Boolean, () => false))
    assert.equal(await spendTimes(50), 0)
    await store.close()
    await redis.kill()
  })

  test('never waits long for a Redis that hangs, is gone or comes back empty', async () => {
    const redis = await startRedis(program)
    const store = createRedisStore(redis.url, undefined, true)
    const reported: string[] = []
    const trouble = {
      onLost: () => reported.push('lost'),
      onRecovered: () => reported.push('found'),
    }
    const counter = createSharedCounter(store, trouble)
    const end = endOfNextMinute()
    // Redis does not answer at this point, so a result shows that nothing waited for it.
    const untilReported = (what: string) =>
      waitUntil(what, async () => {
        assert.ok(!(await counter.spend({ name: 'a', end, limit: 1_000_000 })).refusedBy)
        return reported.at(-1) === what
      })
    await store.ready()
    for (let times = 0; times < 10; times += 1) {
      assert.ok(!(await counter.spend({ name: 'a', end, limit: 1_000_000 })).refusedBy)
    }
    redis.signal('SIGSTOP')
    await untilReported('lost')
    redis.signal('SIGCONT')
    await untilReported('found')
    await redis.kill()
    await untilReported('lost')
    await redis.start()
    await untilReported('found')
    assert.ok(reported.length >= 4, reported.join())
    await store.close()
    await redis.kill()
  })
}
