import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from './clock.ts'

test('a clock never goes back, and clocks are independent', () => {
  let time = 2_000
  const [clock, other] = [createClock(() => time), createClock(() => time)]
  assert.equal(clock.now(), 2_000)
  time = 1_000
  assert.deepEqual([clock.now(), other.now()], [2_000, 1_000])
  time = 3_000
  assert.deepEqual([clock.now(), other.now()], [3_000, 3_000])
})
