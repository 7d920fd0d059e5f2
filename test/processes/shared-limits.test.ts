import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { memoryCounter } from '#limits/counter.ts'
import { redisStore } from '#limits/redis.ts'
import { type Store, sharedCounter } from '#limits/shared.ts'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { redisProgram, startRedis } from '../support/redis.ts'
import type { Spending } from '../support/spender.ts'
import { until } from '../support/until.ts'

const PROCESSES = 4
const SPENDER = new URL('../support/spender.ts', import.meta.url)
const soon = () => (Math.floor(Date.now() / 60_000) + 2) * 60_000

/** What processes of their own were given, by name. */
async function spentBy(spending: Spending): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>()
  const spenders = Array.from({ length: PROCESSES }, async () => {
    const child = fork(SPENDER)
    child.send(spending)
    const [spent] = (await once(child, 'message')) as [Record<string, number[]>]
    for (const [name, given] of Object.entries(spent)) {
      all.set(name, [...(all.get(name) ?? []), ...given])
    }
  })
  await Promise.all(spenders)
  return all
}

/** Each name was given out exactly up to its limit, no number twice. */
async function exactly(where: Pick<Spending, 'databaseUrl' | 'redisUrl'>): Promise<void> {
  const end = soon()
  const many = Array.from({ length: 200 }, (_, at) => `wsp_many_${end}_${at}`)
  const wide = await spentBy({ ...where, names: many, each: 5, end, limit: 13 })
  for (const name of many) assert.deepEqual(sorted(wide.get(name)), upTo(13), name)
  const deep = await spentBy({ ...where, names: [`wsp_deep_${end}`], each: 400, end, limit: 500 })
  assert.deepEqual(sorted(deep.get(`wsp_deep_${end}`)), upTo(500))
}

const sorted = (given: readonly number[] = []) => given.toSorted((a, b) => a - b)
const upTo = (limit: number) => Array.from({ length: limit }, (_, at) => at + 1)

test('processes that share a PostgreSQL admit together what the limit says, and no more', async () => {
  const { config } = await docketOn('postgres')
  await exactly({ databaseUrl: config.databaseUrl, redisUrl: undefined })
})

test('processes that count each alone admit too much: the experiment finds it out', async () => {
  await assert.rejects(exactly({ databaseUrl: undefined, redisUrl: undefined }))
})

test('two servers on one PostgreSQL share the minute of a workspace, and of a session', async () => {
  const env = { DOCKET_LIMIT_PAID: '7' }
  const one = await docketOn('postgres', env)
  const two = await docketOn('postgres', { ...env, DOCKET_LIMIT_FREE: '3' })
  const replies = await withinOneMinute(async () => {
    const home = await newHome(one.storage)
    const headers = { authorization: `Bearer ${home.keys.owner}` }
    return Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 ? one : two).server.inject({ url: '/api/v1/me', headers }),
      ),
    )
  })
  const of = (status: number) => replies.filter(({ statusCode }) => statusCode === status)
  assert.deepEqual([of(200).length, of(429).length], [7, 5])
  const left = of(200).map((reply) => Number(reply.headers['x-ratelimit-remaining']))
  assert.deepEqual(sorted(left), [0, 1, 2, 3, 4, 5, 6])
  for (const { headers: told } of of(429)) assert.equal(told['x-ratelimit-remaining'], '0')
})

/** Replies that are all of the same minute: if it ends in between, it begins anew in the next. */
async function withinOneMinute<R extends { headers: object }>(
  ask: () => Promise<R[]>,
): Promise<R[]> {
  const replies = await ask()
  const minutes = new Set(replies.map(({ headers }) => Object(headers)['x-ratelimit-reset']))
  return minutes.size === 1 ? replies : withinOneMinute(ask)
}

test('a store that does not answer is left alone for a while, and each process counts alone', async () => {
  const [USED, LIMIT] = [90_000, 100_000]
  const told: string[] = []
  let calls = 0
  let answered: Promise<unknown> = new Promise(() => {})
  const store: Store = {
    patienceMs: 100,
    async take(asked) {
      calls += 1
      await answered
      return asked.map(({ wanted }) => ({ used: USED + wanted, taken: wanted }))
    },
  }
  const trouble = { lost: () => told.push('lost'), found: () => told.push('found') }
  const counter = sharedCounter(store, trouble)
  const end = soon()
  const spent = await Promise.all(Array.from({ length: 5 }, () => counter.spend('a', end, 3)))
  assert.deepEqual(spent.toSorted(), [1, 2, 3, undefined, undefined])
  assert.ok(calls <= 2)
  assert.deepEqual(told, ['lost'])
  const before = calls
  assert.equal(await counter.spend('b', end, 3), 1)
  assert.equal(calls, before)
  answered = Promise.resolve()
  await until(
    'the store is asked again',
    async () => (await counter.spend('b', end, LIMIT)) === USED + 1,
  )
  assert.deepEqual(told, ['lost', 'found'])
})

test('what was counted alone in one minute is forgotten in the next', () => {
  const counter = memoryCounter()
  assert.deepEqual([counter.spend('a', 1, 1), counter.spend('a', 1, 1)], [1, undefined])
  assert.equal(counter.spend('a', 2, 1), 1)
})

if (redisProgram) {
  const program = redisProgram
  const starting = startRedis(program)
  after(async () => (await starting).kill())

  test('processes that share a Redis admit together what the limit says, and no more', async () => {
    const redis = await starting
    await exactly({ databaseUrl: undefined, redisUrl: redis.url })
  })

  test('a Redis that hangs, is gone or comes back empty is never waited for long', async () => {
    const redis = await startRedis(program)
    const store = redisStore(redis.url)
    const told: string[] = []
    const trouble = { lost: () => told.push('lost'), found: () => told.push('found') }
    const counter = sharedCounter(store, trouble)
    const end = soon()
    // As it does not answer, who is answered has not waited for it.
    const untilTold = (what: string) =>
      until(what, async () => {
        assert.ok(await counter.spend('a', end, 1_000_000))
        return told.at(-1) === what
      })
    await store.ready()
    for (let times = 0; times < 10; times += 1) {
      assert.ok(await counter.spend('a', end, 1_000_000))
    }
    redis.signal('SIGSTOP')
    await untilTold('lost')
    redis.signal('SIGCONT')
    await untilTold('found')
    await redis.kill()
    await untilTold('lost')
    await redis.start()
    await untilTold('found')
    assert.ok(told.length >= 4, told.join())
    await store.close()
    await redis.kill()
  })
}
