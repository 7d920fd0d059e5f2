import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { createMemoryCounter } from '#rate-limits/memory-counter.ts'
import { createRedisStore } from '#rate-limits/redis-store.ts'
import { createSharedCounter } from '#rate-limits/shared-counter.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import type { SpenderTask } from '../support/server/programs/rate-limit-spender.ts'
import { findEntry } from '../support/server/server-process.ts'
import { withinOneMinute } from '../support/server/within-one-minute.ts'
import { redisProgram, startRedis } from '../support/services/redis.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const PROCESSES = 4
const SPENDER = findEntry('test/support/server/programs/rate-limit-spender.ts')
const endOfNextMinute = () => (Math.floor(Date.now() / 60_000) + 2) * 60_000

const spenders = Array.from({ length: PROCESSES }, () => fork(SPENDER))
after(() => {
  for (const spender of spenders) spender.disconnect()
})

/** Spends from several processes and returns the counts that they got, by name. */
async function spendInProcesses(spending: SpenderTask): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>()
  const spend = async (spender: ChildProcess) => {
    spender.send(spending)
    const [spent] = (await once(spender, 'message')) as [Record<string, number[]>]
    for (const [name, numbers] of Object.entries(spent)) {
      all.set(name, [...(all.get(name) ?? []), ...numbers])
    }
  }
  await Promise.all(spenders.map(spend))
  return all
}

/** Asserts that each name was counted exactly up to its limit, and no number was given twice. */
async function assertExactLimit(
  where: Pick<SpenderTask, 'databaseUrl' | 'redisUrl'>,
): Promise<void> {
  const end = endOfNextMinute()
  const many = Array.from({ length: 200 }, (_, at) => `wsp_many_${end}_${at}`)
  const wide = await spendInProcesses({ ...where, names: many, each: 5, end, limit: 13 })
  for (const name of many) assert.deepEqual(sortNumbers(wide.get(name)), countTo(13), name)
  const deep = await spendInProcesses({
    ...where,
    names: [`wsp_deep_${end}`],
    each: 400,
    end,
    limit: 500,
  })
  assert.deepEqual(sortNumbers(deep.get(`wsp_deep_${end}`)), countTo(500))
}

/**
 * Asserts that sublimits are exact, that requests beyond them cost nothing, and that they never
 * exceed the limit together.
 */
async function assertExactSublimits(
  where: Pick<SpenderTask, 'databaseUrl' | 'redisUrl'>,
): Promise<void> {
  const end = endOfNextMinute()
  const sublimits = [{ name: 'a', limit: 70 }, null, { name: 'b', limit: 90 }]
  const spendMany = (name: string, limit: number) =>
    spendInProcesses({ ...where, names: [name], each: 300, end, limit, sublimits })
  const wide = `wsp_wide_${end}`
  const spent = await spendMany(wide, 5_000)
  assert.deepEqual(sortNumbers(spent.get(`${wide} a`)), countTo(70))
  assert.deepEqual(sortNumbers(spent.get(`${wide} b`)), countTo(90))
  assert.deepEqual(sortNumbers(spent.get(wide)), countTo(400 + 70 + 90))
  const narrow = `wsp_narrow_${end}`
  const both = await spendMany(narrow, 130)
  assert.deepEqual(sortNumbers(both.get(narrow)), countTo(130))
  for (const [name, most] of [
    ['a', 70],
    ['b', 90],
  ] as const) {
    const numbers = sortNumbers(both.get(`${narrow} ${name}`))
    assert.deepEqual(numbers, countTo(numbers.length))
    assert.ok(numbers.length <= most, `${numbers.length} of ${most}`)
  }
}

const sortNumbers = (numbers: readonly number[] = []) => numbers.toSorted((a, b) => a - b)
const countTo = (limit: number) => Array.from({ length: limit }, (_, at) => at + 1)

test('processes on one PostgreSQL admit exactly the limit together', async () => {
  const { config } = await openTestDocket('postgres')
  await assertExactLimit({ databaseUrl: config.databaseUrl, redisUrl: undefined })
})

test('processes on one PostgreSQL admit exactly each sublimit within the limit', async () => {
  const { config } = await openTestDocket('postgres')
  await assertExactSublimits({ databaseUrl: config.databaseUrl, redisUrl: undefined })
})

test('control: processes that count alone admit too much', async () => {
  const alone = { databaseUrl: undefined, redisUrl: undefined }
  await assert.rejects(assertExactLimit(alone))
  await assert.rejects(assertExactSublimits(alone))
})

/** Asserts that two servers admit the limit of a workspace together. */
async function assertSharedLimit(where: Record<string, string>): Promise<void> {
  const env = { ...where, DOCKET_LIMIT_PAID: '7' }
  const clock = createTestClock()
  clock.advance(60 * 60_000)
  const one = await openTestDocket('postgres', env)
  const two = await openTestDocket('postgres', env, { clock })
  const replies = await withinOneMinute(async () => {
    const team = await createTestWorkspace(one.storage)
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 ? one : two).server.inject({ url: '/api/v1/me', headers }),
      ),
    )
    for (const { headers } of replies) {
      const ahead = Number(headers['x-ratelimit-reset']) * 1_000 - Date.now()
      assert.ok(Math.abs(ahead) < 30 * 60_000, 'the minute is that of the store')
    }
    return replies
  })
  const withStatus = (status: number) => replies.filter(({ statusCode }) => statusCode === status)
  assert.deepEqual([withStatus(200).length, withStatus(429).length], [7, 5])
  const left = withStatus(200).map((reply) => Number(reply.headers['x-ratelimit-remaining']))
  assert.deepEqual(sortNumbers(left), [0, 1, 2, 3, 4, 5, 6])
  for (const { headers } of withStatus(429)) assert.equal(headers['x-ratelimit-remaining'], '0')
}

test('two servers on one PostgreSQL share the limit of a workspace while their clocks differ', () =>
  assertSharedLimit({}))

test('the counter in memory starts again with each minute', () => {
  const counter = createMemoryCounter()
  const spend = (end: number) => counter.spend({ name: 'a', end, limit: 1 }).refusedBy
  assert.deepEqual([1, 1, 2].map(spend), [undefined, 'limit', undefined])
})

if (redisProgram) {
  const program = redisProgram
  const sharedRedis = startRedis(program)
  after(async () => (await sharedRedis).kill())

  test('processes on one Redis admit exactly the limit together', async () => {
    const redis = await sharedRedis
    await assertExactLimit({ databaseUrl: undefined, redisUrl: redis.url })
  })

  test('two servers on one Redis share the limit of a workspace while their clocks differ', async () => {
    const redis = await sharedRedis
    await assertSharedLimit({ DOCKET_REDIS_URL: redis.url })
  })

  test('processes on one Redis admit exactly each sublimit within the limit', async () => {
    const redis = await sharedRedis
    await assertExactSublimits({ databaseUrl: undefined, redisUrl: redis.url })
  })

  test('processes that get little processor time admit exactly the limit, too', async () => {
    const redis = await sharedRedis
    const loops = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);']))
    try {
      const end = endOfNextMinute()
      const name = `wsp_busy_${end}`
      const spending = { databaseUrl: undefined, redisUrl: redis.url, names: [name], end }
      const spent = await spendInProcesses({ ...spending, each: 500, limit: 1_500 })
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
    const spend = async (times: number) => {
      const results = Array.from({ length: times }, () => counter.spend(request))
      return (await Promise.all(results)).filter(({ refusedBy }) => !refusedBy).length
    }
    await store.ready()
    assert.equal(await spend(50), 50)
    await redis.kill()
    assert.equal(await spend(4), 4)
    await redis.start()
    await waitUntil('Redis is back', () => reported.at(-1) === 'found')
    assert.equal(await spend(50), 6)
    await redis.kill()
    await redis.start()
    // No request was sent meanwhile, so only the connection has noticed.
    await waitUntil('Redis answers', () => store.report([]).then(Boolean, () => false))
    assert.equal(await spend(50), 0)
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
