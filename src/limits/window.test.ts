import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { memoryCounter } from './counter.ts'
import { addressLimit, rateLimit } from './window.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)

/** How many of so many attempts are let through. */
function through(attempts: number, spend: () => unknown): number {
  let count = 0
  for (let at = 0; at < attempts; at++) {
    try {
      spend()
      count += 1
    } catch (error) {
      assert.ok(error instanceof Refusal && error.status === 429)
      const wait = error.headers['retry-after'] ?? ''
      assert.ok(Number(wait) >= 1 && Number(wait) <= 60, wait)
    }
  }
  return count
}

test('a clock that jumps neither locks a workspace out nor lets it do more in a minute', () => {
  let now = NOON + 30_000
  const limit = rateLimit({ free: 5, paid: 5 }, memoryCounter(), () => now)
  const spend = () => limit({ ...NOBODY, workspace_id: 'wsp_a', plan: 'free' })
  assert.equal(through(9, spend), 5)
  for (const jump of [HOUR, -2 * HOUR, HOUR - 1, -1, 1]) {
    now += jump
    const found = through(9, spend)
    assert.ok(found === 5 || (found === 0 && Math.abs(jump) === 1), `${found} after ${jump}`)
    assert.equal(through(9, spend), 0)
  }
})

test('whoever makes up addresses without end shares one count with all that come after', () => {
  const limit = addressLimit(2, () => NOON, 3)
  const spend = (address: string) => () => limit(address)
  for (const own of ['192.0.2.1', '192.0.2.2', '2001:db8::1']) {
    assert.equal(through(1, spend(own)), 1)
  }
  assert.equal(through(1, spend('192.0.2.3')), 1)
  assert.equal(through(1, spend('192.0.2.4')), 1)
  assert.equal(through(1, spend('192.0.2.5')), 0)
  assert.equal(through(5, spend('192.0.2.1')), 1, 'who was there before keeps a count of its own')
})

test('what another process asks for at the end of a minute forgets nothing of the next', () => {
  const counter = memoryCounter()
  const spend = (minute: number) => counter.spend('wsp_1', minute * 60_000, 3)
  assert.deepEqual([2, 1, 2, 1, 2, 2].map(spend), [1, 1, 2, 2, 3, undefined])
  assert.deepEqual([3, 4, 2].map(spend), [1, 1, 1], 'and what is older is forgotten')
})
