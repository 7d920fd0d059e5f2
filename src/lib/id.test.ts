import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { newId } from './id.ts'

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const RANGE = 2 ** 40
const YEAR_MS = 365 * 24 * 3_600_000

/** What two ids say about how much happened between them: the part between time and random part. */
function gapBetween(one: string, other: string): number {
  const [from = 0, to = 0] = [one, other].map((id) =>
    [...id.slice(14, 22)].reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0),
  )
  return (to - from + RANGE) % RANGE
}

test('two ids do not tell how many others were created between them', (t) => {
  const time = stopPerformanceClock(t)
  // Ids never go back, and tests that ran before in this process may have moved the clock ahead.
  time.pass(YEAR_MS)
  const gaps = [0, 1, 500].map((others) => {
    time.pass(1)
    const first = newId('req', 1_700_000_000_000)
    for (let n = 0; n < others; n += 1) newId('tsk', 1_700_000_000_000 + n)
    time.pass(2)
    return gapBetween(first, newId('req', 1_700_000_000_001))
  })
  assert.deepEqual(gaps, [2_000, 2_000, 2_000])
})

test('ids of one time sort in order of creation, even if others were created between them', () => {
  const at = 1_700_000_000_000
  const ids = Array.from({ length: 2_000 }, (_, n) => {
    newId('req', at + n)
    return newId('evt', at)
  })
  const middles = ids.map((id) => id.slice(0, 22))
  const wraps = middles.filter((id, n) => n > 0 && id <= (middles[n - 1] ?? ''))
  assert.ok(wraps.length <= 1, 'once every 12 days')
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
})

test('the last part of an id is another one in each millisecond', () => {
  const tails = Array.from({ length: 500 }, (_, n) => newId('evt', 1_700_000_000_000 + n).slice(22))
  assert.equal(new Set(tails).size, tails.length)
})
