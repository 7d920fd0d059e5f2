import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#core/api-error.ts'
import { endOfMinute } from './memory-counter.ts'
import { createSharedCounter, createStoreClock, type RateLimitStore } from './shared-counter.ts'

test('requests share a call, and are refused while the store does not answer', async () => {
  const calls: number[] = []
  const health: string[] = []
  let used = 0
  let isGone = false
  const store: RateLimitStore = {
    async take(asked) {
      calls.push(asked.length)
      if (isGone) throw new Error('gone')
      return asked.map(({ limit, wanted }) => {
        const taken = Math.min(wanted, limit - used)
        used += taken
        return { used, sublimitUsed: 0, taken }
      })
    },
  }
  const counter = createSharedCounter(store, {
    onLost: () => health.push('lost'),
    onRecovered: () => health.push('found'),
  })
  const end = endOfMinute(NOON)
  const spendMany = (times: number) =>
    Promise.allSettled(
      Array.from({ length: times }, async () => counter.spend({ name: 'a', end, limit: 30 })),
    )
  const admitted = async (times: number) =>
    (await spendMany(times)).filter(
      (spent) => spent.status === 'fulfilled' && spent.value.refusedBy === undefined,
    ).length
  assert.equal(await admitted(20), 20)
  assert.deepEqual(calls, [1])
  isGone = true
  for (let time = 0; time < 2; time += 1)
    for (const spent of await spendMany(5)) {
      assert.ok(spent.status === 'rejected' && spent.reason instanceof ApiError)
      assert.equal(spent.reason.status, 503)
    }
  isGone = false
  assert.equal(await admitted(20), 10)
  assert.deepEqual(health, ['lost', 'found'])
})

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)

test('the clock of a store replaces the own one, and no late answer sets it back', () => {
  let own = NOON
  const { now, follow } = createStoreClock(() => own)
  assert.equal(now(), NOON)
  follow(NOON + HOUR_MS)
  // The time of the process goes on meanwhile, so that nothing is the exact time.
  assert.ok(now() >= NOON + HOUR_MS)
  own -= HOUR_MS
  assert.ok(now() >= NOON + HOUR_MS, 'a jump of the own clock changes nothing')
  follow(NOON + HOUR_MS - 1_000)
  assert.ok(now() >= NOON + HOUR_MS, 'the answer was late')
  follow(NOON + 2 * HOUR_MS)
  assert.ok(now() >= NOON + 2 * HOUR_MS)
  follow(NOON)
  assert.ok(now() < NOON + HOUR_MS, 'the clock of the store was set back')
})
