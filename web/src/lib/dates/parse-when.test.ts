import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../locale/viewer.ts'
import { parseWhen } from './parse-when.ts'
import { toInstant, toWallTime } from './time-zone.ts'

const FRIDAY = '2026-11-20'
const read = (typed: string) => {
  const when = parseWhen(typed, FRIDAY)
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
    eom: '2026-11-30',
    '+3d': '2026-11-23',
    'in 2 weeks': '2026-12-04',
    '1m': '2026-12-20',
    '24 Nov': '2026-11-24',
    'nov 24': '2026-11-24',
    '12 mar': '2027-03-12',
    '12 march 2026': '2026-03-12',
    '24.11.': '2026-11-24',
    '24.11.2027': '2027-11-24',
    '2026-03-12': '2026-03-12',
    'fri 14:00': '2026-11-27 14:00',
    'tomorrow at 2pm': '2026-11-21 14:00',
    '12am': '2026-11-20 00:00',
    '9:30': '2026-11-20 9:30'.replace(' 9', ' 09'),
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(wanted).map((typed) => [typed, read(typed)])),
    wanted,
  )
  assert.deepEqual(parseWhen('none', FRIDAY), { date: null })
})

test('reads dates with slashes in the order of the locale', () => {
  const readAs = (locale: string) => {
    setViewer({ locale })
    return ['12/10', '12/24/2026', '24/12/2026', '1/5/27 9:00'].map(read)
  }
  const christmas = '2026-12-24'
  assert.deepEqual(readAs('en-US'), ['2026-12-10', christmas, christmas, '2027-01-05 09:00'])
  assert.deepEqual(readAs('en-GB'), ['2027-10-12', christmas, christmas, '2027-05-01 09:00'])
  assert.deepEqual(readAs('de'), readAs('en-GB'))
})

test('returns undefined for text that is not a date', () => {
  for (const typed of ['', 'f', 'soon', '2026-02-30', '31 feb', '13pm', '25:00', '45.13.']) {
    assert.equal(read(typed), undefined, typed)
  }
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
