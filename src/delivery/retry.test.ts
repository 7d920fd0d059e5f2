import assert from 'node:assert/strict'
import { test } from 'node:test'
import { float, assert as holds, integer, property } from 'fast-check'
import { configFrom } from '../config.ts'
import { retryAfterMs, retryDelay } from './retry.ts'

const { webhooks: schedule } = configFrom({})
const HOUR = 3_600_000
const random = float({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('retries come 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h after a failure, and up to a fifth later', () => {
  const delays = [5_000, 300_000, 1_800_000, 2, 5, 10, 14, 20, 24].map((n) =>
    n < 100 ? n * HOUR : n,
  )
  holds(
    property(integer({ min: 1, max: 9 }), random, (number, chance) => {
      const least = delays[number - 1] ?? Number.NaN
      const delay = retryDelay(schedule, number, undefined, chance) ?? Number.NaN
      assert.ok(delay >= least && delay <= least * 1.2 + 1, `${delay} after the ${number}th`)
    }),
  )
  assert.equal(retryDelay(schedule, 10, undefined, 0), undefined, 'none after the tenth')
  assert.equal(retryDelay(schedule, 10, HOUR, 0), undefined)
})

test('Retry-After puts a retry off, by a day at most, and never brings it forward', () => {
  assert.equal(retryDelay(schedule, 1, 60_000, 0), 60_000)
  assert.equal(retryDelay(schedule, 1, 1_000, 0), 5_000)
  assert.equal(retryDelay(schedule, 1, 90 * HOUR, 0), 24 * HOUR)
  assert.equal(retryDelay(schedule, 1, Number.POSITIVE_INFINITY, 0), 24 * HOUR)
  assert.equal(retryDelay(schedule, 9, 90 * HOUR, 0.5), 26.4 * HOUR)
})

test('Retry-After is read in seconds and as a date; anything else asks for nothing', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  const cases: [string | null, number | undefined][] = [
    [null, undefined],
    ['120', 120_000],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['99999999999999', 99_999_999_999_999_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-11-20T12:00:30Z', undefined],
    ['soon', undefined],
    ['', undefined],
  ]
  for (const [header, ms] of cases) assert.equal(retryAfterMs(header, now), ms, String(header))
})
