import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { setViewer } from '../locale/viewer.ts'
import { formatDue } from './format-due.ts'
import { formatFullInstant, formatGutterInstant, formatRelative, formatTime } from './instant.ts'
import {
  addDaysToDate,
  addMonthsToDate,
  compareDays,
  countDaysBetween,
  formatDay,
  isoWeekday,
  isPlainDate,
  startOfWeek,
  toPlainDate,
  weeksOfMonth,
} from './plain-date.ts'
import { toInstant, toWallTime } from './time-zone.ts'

setViewer({ zone: 'Europe/Berlin', locale: 'en-GB', weekStart: 1 })

test('accepts existing calendar dates only', () => {
  assert.deepEqual(['2026-03-12', '2028-02-29'].map(isPlainDate), [true, true])
  assert.deepEqual(['2026-02-29', '2026-13-01', '2026-3-1', 'today'].map(isPlainDate), [
    false,
    false,
    false,
    false,
  ])
})

test('adds and counts days across months, leap years and daylight saving changes', () => {
  assert.equal(addDaysToDate('2026-03-28', 2), '2026-03-30')
  assert.equal(addDaysToDate('2026-01-01', -1), '2025-12-31')
  assert.equal(addMonthsToDate('2026-01-31', 1), '2026-02-28')
  assert.equal(addMonthsToDate('2026-03-31', -13), '2025-02-28')
  fc.assert(
    fc.property(fc.integer({ min: -400_000, max: 400_000 }), (n) => {
      assert.equal(countDaysBetween('2026-03-12', addDaysToDate('2026-03-12', n)), n)
    }),
  )
})

test('computes the date of an instant in the given time zone', () => {
  const at = Date.parse('2026-03-12T10:30:00Z')
  assert.equal(toPlainDate(at, 'Pacific/Kiritimati'), '2026-03-13')
  assert.equal(toPlainDate(at, 'America/St_Johns'), '2026-03-12')
  assert.equal(toPlainDate('2026-03-12T02:00:00Z', 'America/St_Johns'), '2026-03-11')
})

test("starts weeks on the viewer's first weekday", () => {
  assert.equal(isoWeekday('2026-11-20'), 5)
  assert.equal(isoWeekday('1969-12-31'), 3)
  assert.equal(startOfWeek('2026-11-22', 1), '2026-11-16')
  assert.equal(startOfWeek('2026-11-22', 7), '2026-11-22')
  assert.deepEqual(
    weeksOfMonth('2026-02-10', 7).map((week) => week[0]),
    ['2026-02-01', '2026-02-08', '2026-02-15', '2026-02-22'],
  )
})

test('formats dates without a comma, and with the year if it is not the current one', () => {
  assert.equal(formatDay('2026-11-24', 'short', '2026-11-20'), 'Tue 24 Nov')
  assert.equal(formatDay('2027-02-18', 'short', '2026-11-20'), '18 Feb 2027')
  assert.equal(formatDay('2026-11-24', 'long'), 'Tuesday 24 November 2026')
  assert.equal(formatDay('2026-11-24', 'month'), 'November 2026')
})

test('sorts a missing date last', () => {
  assert.deepEqual(['2026-03-12', null, '2026-01-01'].toSorted(compareDays), [
    '2026-01-01',
    '2026-03-12',
    null,
  ])
})

test('formats a due date, as late only while the task is open', () => {
  const now = Date.parse('2026-11-20T13:00:00Z')
  assert.deepEqual(formatDue('2026-11-18', { now }), { text: '2 days overdue', when: 'late' })
  assert.deepEqual(formatDue('2026-11-20', { now }), { text: 'Today', when: 'today' })
  assert.deepEqual(formatDue('2026-11-21', { now }), { text: 'Tomorrow', when: 'later' })
  assert.deepEqual(formatDue('2026-11-24', { now }), { text: 'Tue 24 Nov', when: 'later' })
  assert.deepEqual(formatDue('2026-11-18', { now, finished: true }), {
    text: 'Wed 18 Nov',
    when: 'later',
  })
  assert.deepEqual(formatDue('2026-11-20', { now, at: '2026-11-20T10:00:00Z' }), {
    text: '3 h overdue',
    when: 'late',
  })
  assert.deepEqual(formatDue('2026-11-20', { now, at: '2026-11-20T15:00:00Z' }), {
    text: 'Today 16:00',
    when: 'today',
  })
})

test('formats an instant relative to now', () => {
  const now = Date.parse('2026-11-20T13:00:00Z')
  const ago = (at: string) => formatRelative(at, now)
  assert.equal(ago('2026-11-20T12:59:30Z'), 'just now')
  assert.equal(ago('2026-11-20T12:57:00Z'), '3 min ago')
  assert.equal(ago('2026-11-19T17:20:00Z'), 'Yesterday 18:20')
  assert.equal(ago('2026-11-26T13:00:00Z'), 'in 6 days')
  assert.equal(formatTime('2026-11-20T23:05:00Z'), '00:05')
  assert.match(formatFullInstant('2026-11-20T13:02:11Z'), /14:02:11 (GMT|UTC)\+1/)
  assert.deepEqual(
    [
      '2026-11-20T08:41:00Z',
      '2026-11-17T09:00:00Z',
      '2026-10-02T09:00:00Z',
      '2025-05-02T09:00:00Z',
    ].map((at) => formatGutterInstant(at, now)),
    ['09:41', 'Tue 17', '2 Oct', 'May 2025'],
  )
})

test('converts a local time to an instant, also across daylight saving changes', () => {
  assert.equal(toInstant('2026-11-20', '14:00', 'Europe/Berlin'), '2026-11-20T13:00:00.000Z')
  assert.equal(toInstant('2026-03-12', '00:30', 'Pacific/Kiritimati'), '2026-03-11T10:30:00.000Z')
  assert.equal(toInstant('2026-07-01', '09:00', 'America/St_Johns'), '2026-07-01T11:30:00.000Z')
  assert.equal(
    toWallTime(toInstant('2026-03-29', '02:30', 'Europe/Berlin'), 'Europe/Berlin'),
    '03:30',
  )
  assert.equal(
    toWallTime(toInstant('2026-10-25', '02:30', 'Europe/Berlin'), 'Europe/Berlin'),
    '02:30',
  )
  assert.equal(
    toWallTime(toInstant('2026-10-25', '03:00', 'Europe/Berlin'), 'Europe/Berlin'),
    '03:00',
  )
})
