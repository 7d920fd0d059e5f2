import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { MOST_DAYS as ofServer } from '#resources/reports/contract.ts'
import { csvOf } from '../../lib/csv.ts'
import { addDays } from '../../lib/day.ts'
import { daysIn, isWrong, MOST_DAYS, tabIn } from './address.ts'
import { burnUpShown } from './progress.ts'
import { scaleTo, someOf } from './shown.ts'

test('a file is read back as it was, and no text of it is a formula', () => {
  const rows = [
    ['a "quoted", text', -5],
    ['=cmd()', 1],
    ['+1', 2],
    ['-1', 3],
    ['@x', 4],
    ['\tx', 5],
    ['two\nlines', 6],
    ['Zürich 日本', 0.5],
  ]
  const read = parse(csvOf([['What', 'n'], ...rows]), { bom: true }) as string[][]
  assert.deepEqual(
    read.slice(1).map(([what]) => what),
    ['a "quoted", text', "'=cmd()", "'+1", "'-1", "'@x", "'\tx", 'two\nlines', 'Zürich 日本'],
  )
  // A number below 0 is a number.
  assert.deepEqual(read[1]?.[1], '-5')
})

test('a scale ends at a round number, never below the highest value', () => {
  for (const most of [0, 0.3, 1, 3, 4, 5, 9, 10, 11, 99, 100, 101, 137, 4_001, 100_000]) {
    const top = scaleTo(most)
    assert.ok(top >= most && top <= Math.max(most, 1) * 2.6, `${most}: ${top}`)
  }
  assert.equal(scaleTo(137), 200)
})

test('labels are few, even, and have the first and the last', () => {
  assert.deepEqual(someOf([1, 2, 3], 6), [1, 2, 3])
  assert.deepEqual(
    someOf(
      Array.from({ length: 101 }, (_, n) => n),
      6,
    ),
    [0, 20, 40, 60, 80, 100],
  )
})

test('what makes no sense in an address is as if it were not there', () => {
  assert.equal(tabIn('nonsense'), 'progress')
  const { weeks } = daysIn({ weeks: 3 })
  assert.equal(weeks, 16)
  assert.deepEqual(daysIn({ after: '2026-01-01', before: '2026-02-01' }), {
    after: '2026-01-01',
    before: '2026-02-01',
  })
  assert.equal(daysIn({ after: '2026-02-01', before: '2026-01-01' }).weeks, 16)
  assert.equal(daysIn({ after: '2026-02-30', before: '2026-03-04' }).weeks, 16)
})

test('days that the server would refuse are told before', () => {
  assert.equal(MOST_DAYS, ofServer)
  const upTo = (days: number) => ({ after: '2026-01-01', before: addDays('2026-01-01', days) })
  assert.equal(isWrong(upTo(0)), 'turned')
  assert.equal(isWrong(upTo(1)), undefined)
  assert.equal(isWrong(upTo(MOST_DAYS)), undefined)
  assert.equal(isWrong(upTo(MOST_DAYS + 1)), 'long')
  // Nor does an address ask for them.
  assert.equal(daysIn(upTo(MOST_DAYS)).weeks, undefined)
  assert.equal(daysIn(upTo(MOST_DAYS + 1)).weeks, 16)
})

test('the figures are of the end, and a week of the last six is a sixth of what they added', () => {
  const range = { after: '2026-01-01', before: '2026-02-19', timezone: 'UTC' }
  const days = Array.from({ length: 49 }, (_, n) => {
    return { day: addDays('2026-01-01', n), scope: 100 + n, done: n < 6 ? 0 : 2 * (n - 6) }
  })
  const told = (some: typeof days) =>
    burnUpShown({ range, days: some, assumed: 0, forecast: null }).figures?.map(
      ({ value, beside }) => [value, beside],
    )
  assert.deepEqual(told(days), [
    ['84', 'of 148'],
    ['14', 'finished, 7 added'],
  ])
  assert.deepEqual(told(days.slice(-42)), [
    ['84', 'of 148'],
    ['–', undefined],
  ])
  assert.deepEqual(told([]), [
    ['–', undefined],
    ['–', undefined],
  ])
})

test('the title of a burn-up says what is in it', () => {
  const range = { after: '2026-01-01', before: '2026-01-08', timezone: 'UTC' }
  const days = (pairs: [number, number][]) =>
    pairs.map(([scope, done], n) => ({ day: `2026-01-0${n + 1}`, scope, done }))
  const finding = (
    pairs: [number, number][],
    forecast: Parameters<typeof burnUpShown>[0]['forecast'] = null,
  ) => burnUpShown({ range, days: days(pairs), assumed: 0, forecast }).finding
  const grown: [number, number][] = [
    [100, 1],
    [100, 2],
    [105, 3],
    [110, 4],
    [118, 5],
  ]
  const pace = { slow: 1, fast: 2, scope: 0 }
  assert.equal(finding(grown), 'Scope grew 18 %')
  assert.match(
    finding(grown, { ...pace, earliest: '2026-02-01', latest: '2026-03-01' }),
    /^Scope grew 18 %; at this pace all is done between .*1 Feb.* and .*1 Mar/,
  )
  assert.match(finding(grown, { ...pace, earliest: null, latest: null }), /never all done$/)
  assert.match(finding(grown, { ...pace, earliest: '2026-02-01', latest: null }), /best pace/)
  assert.equal(finding(Array(5).fill([7, 7])), 'Scope held at 7, and all of it is done')
  assert.match(finding([[1, 0]]), /^Only 1 day has a task/)
  assert.equal(finding([[0, 0]]), 'Nothing falls into this range.')
})
