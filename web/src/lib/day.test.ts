import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addDays,
  addMonths,
  compareDays,
  dayOf,
  daysBetween,
  formatDay,
  isDay,
  startOfWeek,
  weekdayOf,
  weeksOfMonth,
} from './day.ts'
import { dueWords } from './due.ts'
import { agoOf, fullOf, gutterOf, timeOf } from './instant.ts'
import { setViewer } from './viewer.ts'

setViewer({ zone: 'Europe/Berlin', locale: 'en-GB', weekStart: 1 })

test('a date is one of the calendar', () => {
  assert.deepEqual(['2026-03-12', '2028-02-29'].map(isDay), [true, true])
  assert.deepEqual(['2026-02-29', '2026-13-01', '2026-3-1', 'today'].map(isDay), [
    false,
    false,
    false,
    false,
  ])
})

test('days are added and counted across months, leap years and changes of the clock', () => {
  assert.equal(addDays('2026-03-28', 2), '2026-03-30')
  assert.equal(addDays('2026-01-01', -1), '2025-12-31')
  assert.equal(addMonths('2026-01-31', 1), '2026-02-28')
  assert.equal(addMonths('2026-03-31', -13), '2025-02-28')
  fc.assert(
    fc.property(fc.integer({ min: -400_000, max: 400_000 }), (n) => {
      assert.equal(daysBetween('2026-03-12', addDays('2026-03-12', n)), n)
    }),
  )
})

test('today is that of the zone, however far it is from here', () => {
  const at = Date.parse('2026-03-12T10:30:00Z')
  assert.equal(dayOf(at, 'Pacific/Kiritimati'), '2026-03-13')
  assert.equal(dayOf(at, 'America/St_Johns'), '2026-03-12')
  assert.equal(dayOf('2026-03-12T02:00:00Z', 'America/St_Johns'), '2026-03-11')
})

test('weeks begin where the viewer says', () => {
  assert.equal(weekdayOf('2026-11-20'), 5)
  assert.equal(weekdayOf('1969-12-31'), 3)
  assert.equal(startOfWeek('2026-11-22', 1), '2026-11-16')
  assert.equal(startOfWeek('2026-11-22', 7), '2026-11-22')
  assert.deepEqual(
    weeksOfMonth('2026-02-10', 7).map((week) => week[0]),
    ['2026-02-01', '2026-02-08', '2026-02-15', '2026-02-22'],
  )
})

test('dates are written without a comma, with the year where it is another', () => {
  assert.equal(formatDay('2026-11-24', 'short', '2026-11-20'), 'Tue 24 Nov')
  assert.equal(formatDay('2027-02-18', 'short', '2026-11-20'), '18 Feb 2027')
  assert.equal(formatDay('2026-11-24', 'long'), 'Tuesday 24 November 2026')
  assert.equal(formatDay('2026-11-24', 'month'), 'November 2026')
})

test('no date sorts last', () => {
  assert.deepEqual(['2026-03-12', null, '2026-01-01'].toSorted(compareDays), [
    '2026-01-01',
    '2026-03-12',
    null,
  ])
})

test('a due date is told in words, late only while it is open', () => {
  const now = Date.parse('2026-11-20T13:00:00Z')
  assert.deepEqual(dueWords('2026-11-18', { now }), { text: '2 d late', when: 'late' })
  assert.deepEqual(dueWords('2026-11-20', { now }), { text: 'Today', when: 'today' })
  assert.deepEqual(dueWords('2026-11-21', { now }), { text: 'Tomorrow', when: 'later' })
  assert.deepEqual(dueWords('2026-11-24', { now }), { text: 'Tue 24 Nov', when: 'later' })
  assert.deepEqual(dueWords('2026-11-18', { now, finished: true }), {
    text: 'Wed 18 Nov',
    when: 'later',
  })
  assert.deepEqual(dueWords('2026-11-20', { now, at: '2026-11-20T10:00:00Z' }), {
    text: '3 h late',
    when: 'late',
  })
  assert.deepEqual(dueWords('2026-11-20', { now, at: '2026-11-20T15:00:00Z' }), {
    text: 'Today 16:00',
    when: 'today',
  })
})

test('an instant is told by how far it is', () => {
  const now = Date.parse('2026-11-20T13:00:00Z')
  const told = (at: string) => agoOf(at, now)
  assert.equal(told('2026-11-20T12:59:30Z'), 'just now')
  assert.equal(told('2026-11-20T12:57:00Z'), '3 min ago')
  assert.equal(told('2026-11-19T17:20:00Z'), 'Yesterday 18:20')
  assert.equal(told('2026-11-26T13:00:00Z'), 'in 6 days')
  assert.equal(timeOf('2026-11-20T23:05:00Z'), '00:05')
  assert.match(fullOf('2026-11-20T13:02:11Z'), /14:02:11 (GMT|UTC)\+1/)
  assert.deepEqual(
    [
      '2026-11-20T08:41:00Z',
      '2026-11-17T09:00:00Z',
      '2026-10-02T09:00:00Z',
      '2025-05-02T09:00:00Z',
    ].map((at) => gutterOf(at, now)),
    ['09:41', 'Tue 17', '2 Oct', 'May 2025'],
  )
})
