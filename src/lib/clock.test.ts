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

test('a clock reports once that it was set back, until it has caught up', () => {
  let time = 100_000
  const reports: number[] = []
  const clock = createClock(
    () => time,
    (ms) => reports.push(ms),
  )
  for (const next of [100_000, 96_000, 90_000, 80_000, 100_001, 90_001]) {
    time = next
    clock.now()
  }
  assert.deepEqual(reports, [10_000, 10_000])
})
