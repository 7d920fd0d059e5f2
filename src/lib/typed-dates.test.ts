import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DateContext, parseTypedDate, parseTypedRepeat } from './typed-dates.ts'

const context: DateContext = {
  today: '2026-11-20', // A Friday.
  clock: () => '08:00',
  language: { words: {}, isMonthFirst: false },
}
const read = (typed: string, more: Partial<DateContext> = {}) => {
  const when = parseTypedDate(typed, { ...context, ...more })
  return when && [when.date, when.time].filter((part) => part !== undefined).join(' ')
}

test('parses typed dates and times in all supported forms', () => {
  const wanted = {
    today: '2026-11-20',
    Tomorrow: '2026-11-21',
    fri: '2026-11-27',
    mon: '2026-11-23',
    'next fri': '2026-11-27',
    'next mon': '2026-11-23',
    'next week': '2026-11-23',
    'week after next': '2026-11-30',
    'week 50': '2026-12-07',
    'KW 3': '2027-01-18',
    'week 47': '2026-11-20',
    'end of week 50': '2026-12-11',
    'mid december': '2026-12-15',
    'mid-jan': '2027-01-15',
    eom: '2026-11-30',
    '+3d': '2026-11-23',
    'in 2 weeks': '2026-12-04',
    '1m': '2026-12-20',
    '24 Nov': '2026-11-24',
    'nov 24': '2026-11-24',
    'nov the 24th': '2026-11-24',
    '12 mar': '2027-03-12',
    '29 feb': '2028-02-29',
    '12 march 2026': '2026-03-12',
    "12 march '27": '2027-03-12',
    '24.11.': '2026-11-24',
    '24.11.27': '2027-11-24',
    '24.11.2027': '2027-11-24',
    '2026-03-12': '2026-03-12',
    '2026/3/12': '2026-03-12',
    'fri 14:00': '2026-11-27 14:00',
    'tomorrow at 2pm': '2026-11-21 14:00',
    'tomorrow 2-3:30pm': '2026-11-21 14:00',
    '7am': '2026-11-21 07:00',
    '9:30': '2026-11-20 09:30',
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(wanted).map((typed) => [typed, read(typed)])),
    wanted,
  )
  assert.deepEqual(parseTypedDate('none', context), { date: null })
  assert.equal(parseTypedDate('tomorrow 2-3:30pm', context)?.seconds, 5_400)
})

test('looks back for what has happened', () => {
  const wanted = {
    friday: '2026-11-20',
    'last friday': '2026-11-13',
    thu: '2026-11-19',
    sat: '2026-11-14',
    '24 nov': '2025-11-24',
    '20.11.': '2026-11-20',
    '3 days': '2026-11-17',
    '2 weeks ago': '2026-11-06',
    'week 48': '2025-11-24',
    '9am': '2026-11-20 09:00',
  }
  assert.deepEqual(
    Object.fromEntries(
      Object.keys(wanted).map((typed) => [typed, read(typed, { direction: 'last' })]),
    ),
    wanted,
  )
})

test('reads dates with slashes in the order of the language', () => {
  const readAs = (isMonthFirst: boolean) =>
    ['12/10', '12/24/2026', '24/12/2026', '1/5/27 9:00'].map((typed) =>
      read(typed, { language: { words: {}, isMonthFirst } }),
    )
  const christmas = '2026-12-24'
  assert.deepEqual(readAs(true), ['2026-12-10', christmas, christmas, '2027-01-05 09:00'])
  assert.deepEqual(readAs(false), ['2027-10-12', christmas, christmas, '2027-05-01 09:00'])
})

test('returns undefined for text that is not a date', () => {
  for (const typed of [
    ...[
      '',
      'f',
      'soon',
      '2026-02-30',
      '31 feb',
      '13pm',
      '25:00',
      '45.13.',
      'week 54',
      'last friday',
    ],
    ...['2026/13/01 9am', 'dec 15-17 9am', '5-3', '1.1226'],
  ]) {
    assert.equal(read(typed), undefined, typed)
  }
})

test('begins a repetition on a typed day, and ends it on one', () => {
  const repeats = Object.fromEntries(
    [
      'every 2 weeks starting monday at 9am',
      'every monday from 1 Dec until 31 Dec',
      'every last day of the month',
      'every month on the second tuesday',
      'every second tuesday',
    ].map((typed) => [typed, Object.values(parseTypedRepeat(typed, context) ?? {}).join(' ')]),
  )
  assert.deepEqual(repeats, {
    'every 2 weeks starting monday at 9am': 'FREQ=WEEKLY;INTERVAL=2 2026-11-23 09:00',
    'every monday from 1 Dec until 31 Dec': 'FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231 2026-12-07',
    'every last day of the month': 'FREQ=MONTHLY;BYMONTHDAY=-1 2026-11-30',
    'every month on the second tuesday': 'FREQ=MONTHLY;BYDAY=2TU 2026-12-08',
    'every second tuesday': 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU 2026-11-24',
  })
  for (const typed of [
    'every day until soon',
    'every day starting never',
    'every day until 1 nov 2026',
  ])
    assert.equal(parseTypedRepeat(typed, context), undefined, typed)
})
