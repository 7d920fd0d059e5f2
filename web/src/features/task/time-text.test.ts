import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from './time-text.ts'

const FRIDAY = '2026-11-20'
const of = (seconds: number, day = FRIDAY, note: string | null = null) => ({ seconds, day, note })

test('time is read as people type it', () => {
  const typed: [string, ReturnType<typeof parseTime>][] = [
    ['1h 30m yesterday', of(5_400, '2026-11-19')],
    ['1h 30m', of(5_400)],
    ['1:30', of(5_400)],
    ['90m today review', of(5_400, FRIDAY, 'review')],
    ['1.5h mon', of(5_400, '2026-11-16')],
    ['1.5h Friday: call with Mei', of(5_400, '2026-11-13', 'call with Mei')],
    ['45m 2026-03-12 release', of(2_700, '2026-03-12', 'release')],
    ['45m -3d', of(2_700, '2026-11-17')],
    ['2h monthly report', of(7_200, FRIDAY, 'monthly report')],
    ['1 h 30 m yesterday', of(5_400, '2026-11-19')],
    ['', undefined],
    ['yesterday', undefined],
    ['0m', undefined],
    ['a while', undefined],
  ]
  for (const [text, wanted] of typed) assert.deepEqual(parseTime(text, FRIDAY), wanted, text)
})

test('yesterday is before a change of year, too', () => {
  assert.equal(parseTime('1h yesterday', '2026-01-01')?.day, '2025-12-31')
})
