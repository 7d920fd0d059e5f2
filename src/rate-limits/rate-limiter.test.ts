import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { createMemoryCounter } from './memory-counter.ts'
import { createAddressRateLimiter, createRateLimiter } from './rate-limiter.ts'

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)

/** Returns how many of the attempts are admitted. */
function countAdmitted(attempts: number, spend: () => unknown): number {
  let count = 0
  for (let at = 0; at < attempts; at++) {
    try {
      spend()
      count += 1
    } catch (error) {
      assert.ok(error instanceof ApiError && error.status === 429)
      const wait = error.headers['retry-after'] ?? ''
      assert.ok(Number(wait) >= 1 && Number(wait) <= 60, wait)
    }
  }
  return count
}

test('clock jumps neither lock a workspace out nor raise its limit', () => {
  let now = NOON + 30_000
  const limit = createRateLimiter({ free: 5, paid: 5 }, createMemoryCounter(), () => now)
  const spend = () => limit({ ...ANONYMOUS_ACTOR, workspace_id: 'wsp_a', plan: 'free' })
  assert.equal(countAdmitted(9, spend), 5)
  for (const jump of [HOUR_MS, -2 * HOUR_MS, HOUR_MS - 1, -1, 1]) {
    now += jump
    const found = countAdmitted(9, spend)
    assert.ok(found === 5 || (found === 0 && Math.abs(jump) === 1), `${found} after ${jump}`)
    assert.equal(countAdmitted(9, spend), 0)
  }
})

test('networks beyond the maximum share one count', () => {
  const limit = createAddressRateLimiter(2, () => NOON, { maxNetworks: 3 })
  const spend = (address: string) => () => limit(address)
  for (const own of ['192.0.2.1', '192.0.2.2', '2001:db8::1']) {
    assert.equal(countAdmitted(1, spend(own)), 1)
  }
  assert.equal(countAdmitted(1, spend('192.0.2.3')), 1)
  assert.equal(countAdmitted(1, spend('192.0.2.4')), 1)
  assert.equal(countAdmitted(1, spend('192.0.2.5')), 0)
  assert.equal(countAdmitted(5, spend('192.0.2.1')), 1, 'earlier networks keep their own count')
})

test('late requests for a past minute keep the counts of the next one', () => {
  const counter = createMemoryCounter()
  const spend = (minute: number) => {
    const { refusedBy, used } = counter.spend({ name: 'wsp_1', end: minute * 60_000, limit: 3 })
    return refusedBy ? undefined : used
  }
  assert.deepEqual([2, 1, 2, 1, 2, 2].map(spend), [1, 1, 2, 2, 3, undefined])
  assert.deepEqual([3, 4, 2].map(spend), [1, 1, 1], 'drops older minutes')
})
