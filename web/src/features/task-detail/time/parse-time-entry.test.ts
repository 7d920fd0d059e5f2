import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTimeEntry } from './parse-time-entry.ts'

const FRIDAY = '2026-11-20'
const entry = (seconds: number, day = FRIDAY, note: string | null = null) => ({
  seconds,
  day,
  note,
})

test('parses duration, day and note of a typed time entry', () => {
  const typed: [string, ReturnType<typeof parseTimeEntry>][] = [
    ['1h 30m yesterday', entry(5_400, '2026-11-19')],
    ['1h 30m', entry(5_400)],
    ['1:30', entry(5_400)],
    ['90m today review', entry(5_400, FRIDAY, 'review')],
    ['1.5h mon', entry(5_400, '2026-11-16')],
    ['1.5h Friday: call with Mei', entry(5_400, FRIDAY, 'call with Mei')],
    ['1h last friday call', entry(3_600, '2026-11-13', 'call')],
    ['1h on 24 Nov review', entry(3_600, '2025-11-24', 'review')],
    ['1h tue review', entry(3_600, '2026-11-17', 'review')],
    ['2h 3 reviews', entry(7_200, FRIDAY, '3 reviews')],
    ['2h 9am call', entry(7_200, FRIDAY, '9am call')],
    ['1 1/2h vendor - call', entry(5_400, FRIDAY, 'vendor - call')],
    ['45m 2026-03-12 release', entry(2_700, '2026-03-12', 'release')],
    ['45m -3d', entry(2_700, '2026-11-17')],
    ['2h monthly report', entry(7_200, FRIDAY, 'monthly report')],
    ['1 h 30 m yesterday', entry(5_400, '2026-11-19')],
    ['2 hrs. yesterday', entry(7_200, '2026-11-19')],
    ['', undefined],
    ['yesterday', undefined],
    ['0m', undefined],
    ['a while', undefined],
  ]
  for (const [text, expected] of typed)
    assert.deepEqual(parseTimeEntry(text, FRIDAY), expected, text)
})

test('yesterday may be in the previous year', () => {
  assert.equal(parseTimeEntry('1h yesterday', '2026-01-01')?.day, '2025-12-31')
})
