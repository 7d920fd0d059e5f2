import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoreClock } from './shared-counter.ts'

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
