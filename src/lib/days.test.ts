import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addDays,
  addMs,
  atWallTime,
  civilFromDays,
  dayIn,
  daysBetween,
  daysFromCivil,
  daysInMonth,
  isDay,
  isLeapYear,
  isTimezone,
  msBetween,
  normalizeTimestamp,
  wallTimeOn,
  weekdayOf,
} from './days.ts'

const anyDay = fc.integer({ min: 0, max: 2_932_896 }).map((days) => addDays('1970-01-01', days))
const anyTimestamp = fc
  .date({ min: new Date('1970-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString())

test('accepts only real calendar days of the years 1970 to 9999', () => {
  for (const day of ['1970-01-01', '9999-12-31', '2024-02-29', '2000-02-29']) assert.ok(isDay(day))
  for (const text of [
    '',
    '1969-12-31',
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    '+02026-01-01',
    ' 2026-01-01',
    '2026-01-01\n',
    '２０２６-01-01',
  ]) {
    assert.ok(!isDay(text), text)
  }
})

test('agrees with Temporal about valid days', () => {
  const digits = fc.tuple(
    fc.integer({ min: 1960, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  fc.assert(
    fc.property(digits, ([year, month, day]) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      assert.equal(isDay(text), year >= 1970 && isReal({ year, month, day }))
    }),
    { numRuns: 500 },
  )
})

const timestamps: [text: string, utc: string | undefined][] = [
  ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30:00.1Z', '2026-03-01T09:30:00.100Z'],
  ['2026-03-01T09:30:00.123999999Z', '2026-03-01T09:30:00.123Z'],
  ['2026-03-01T01:00:00.5+02:00', '2026-02-28T23:00:00.500Z'],
  ['2026-12-31T23:59:59.999-00:01', '2027-01-01T00:00:59.999Z'],
  ['2026-03-01T09:30:00-00:00', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30:00z', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T09:30:00.5z', '2026-03-01T09:30:00.500Z'],
  ['2026-03-01T09:30:00+0000', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01T01:00:00.123456789+0230', '2026-02-28T22:30:00.123Z'],
  ['2026-12-31T23:59:59.999-0001', '2027-01-01T00:00:59.999Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['1970-01-01T00:00:00+00:01', undefined],
  ['1970-01-01T00:00:00+0001', undefined],
  ['1969-12-31T23:59:00-00:01', undefined],
  ['9999-12-31T23:59:00-00:01', undefined],
  ['2026-03-01T09:30:00', undefined],
  ['2026-03-01T09:30Z', undefined],
  ['2026-03-01 09:30:00Z', undefined],
  ['2026-03-01t09:30:00z', undefined],
  ['2026-03-01T09:30:00zz', undefined],
  ['2026-03-01T09:30:00Z+0000', undefined],
  ['2026-03-01T09:30:00.Z', undefined],
  ['2026-03-01T09:30:00.1234567890Z', undefined],
  ['2026-03-01T24:00:00Z', undefined],
  ['2026-03-01T09:60:00Z', undefined],
  ['2026-06-30T23:59:60Z', undefined],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-03-01T24:00:00z', undefined],
  ['2026-03-01T09:30:00+02', undefined],
  ['2026-03-01T09:30:00+200', undefined],
  ['2026-03-01T09:30:00+02000', undefined],
  ['2026-03-01T09:30:00 0200', undefined],
  ['2026-03-01T09:30:00+2400', undefined],
  ['2026-03-01T09:30:00+0260', undefined],
  ['2026-03-01T09:30:00+24:00', undefined],
  ['2026-03-01T09:30:00+02:60', undefined],
  ['2026-03-01T09:30:00Z[Europe/Zurich]', undefined],
  ['2026-03-01', undefined],
]

for (const [text, utc] of timestamps) {
  test(`normalizes the timestamp ${text} to ${utc ?? 'nothing (invalid)'}`, () =>
    assert.equal(normalizeTimestamp(text), utc))
}

test('normalizes equal instants with different offsets to the same timestamp', () => {
  const minutes = fc.integer({ min: -1439, max: 1439 })
  fc.assert(
    fc.property(anyTimestamp, minutes, (utc, offset) => {
      const at = Math.abs(offset)
      const hours = String(Math.floor(at / 60)).padStart(2, '0')
      const text = `${addMs(utc, offset * 60_000).slice(0, -1)}${offset < 0 ? '-' : '+'}${hours}:${String(at % 60).padStart(2, '0')}`
      assert.equal(normalizeTimestamp(text), utc)
    }),
  )
})

test('accepts IANA time zones in canonical spelling', () => {
  for (const name of ['UTC', 'Europe/Zurich', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires']) {
    assert.ok(isTimezone(name), name)
  }
  for (const text of [
    '',
    '+01:00',
    '-0100',
    'europe/zurich',
    'Mars/Olympus',
    'Europe/Zurich ',
    '2026-01-01T00:00Z[UTC]',
  ]) {
    assert.ok(!isTimezone(text), text)
  }
})

test('computes the day in a time zone', () => {
  assert.equal(dayIn('UTC', '2026-03-01T23:30:00.000Z'), '2026-03-01')
  assert.equal(dayIn('Europe/Zurich', '2026-03-01T23:30:00.000Z'), '2026-03-02')
  assert.equal(dayIn('America/New_York', '2026-03-01T04:59:59.999Z'), '2026-02-28')
  assert.ok(!isDay(dayIn('America/New_York', '1970-01-01T00:00:00.000Z')))
  assert.ok(!isDay(dayIn('Asia/Tokyo', '9999-12-31T23:00:00.000Z')))
})

test('keeps the wall-clock time across a clock change', () => {
  const nine = '2026-03-28T08:00:00.250Z'
  assert.equal(wallTimeOn('2026-03-30', 'Europe/Zurich', nine), '2026-03-30T07:00:00.250Z')
})

test('shifts times in a DST gap and takes the first of repeated ones', () => {
  const halfPastTwo = '2026-03-28T01:30:00.000Z'
  assert.equal(wallTimeOn('2026-03-29', 'Europe/Zurich', halfPastTwo), '2026-03-29T01:30:00.000Z')
  assert.equal(wallTimeOn('2026-10-25', 'Europe/Zurich', halfPastTwo), '2026-10-25T00:30:00.000Z')
  // A gap at the end of the day would shift a time to the next day.
  const lateInNuuk = atWallTime('2026-03-28', 'America/Nuuk', '23:30')
  assert.equal(lateInNuuk, '2026-03-29T00:30:00.000Z')
  assert.equal(dayIn('America/Nuuk', lateInNuuk), '2026-03-28')
  // Samoa skipped a whole day.
  assert.equal(atWallTime('2011-12-30', 'Pacific/Apia', '09:00'), '2011-12-30T19:00:00.000Z')
})

test('adding and counting days or milliseconds agree', () => {
  assert.equal(addDays('2026-02-28', 1), '2026-03-01')
  assert.equal(addDays('2024-03-01', -1), '2024-02-29')
  assert.equal(daysBetween('2026-03-01', '2026-02-01'), -28)
  assert.equal(msBetween('2026-03-01T00:00:00.000Z', '2026-03-01T00:00:01.500Z'), 1500)
  fc.assert(fc.property(anyDay, anyDay, (from, to) => addDays(from, daysBetween(from, to)) === to))
  fc.assert(
    fc.property(anyTimestamp, anyTimestamp, (from, to) => addMs(from, msBetween(from, to)) === to),
  )
})

function isReal(day: { year: number; month: number; day: number }): boolean {
  try {
    return Temporal.PlainDate.from(day, { overflow: 'reject' }).day === day.day
  } catch {
    return false
  }
}

test('agrees with Date about days from 1970 to 9999', () => {
  for (let day = -1; day <= 2_932_896; day += 97) {
    const date = new Date(day * 86_400_000)
    const { year, month, date: ofMonth } = civilFromDays(day)
    const same = year === date.getUTCFullYear() && month === date.getUTCMonth() + 1
    assert.ok(same && ofMonth === date.getUTCDate(), `day ${day}`)
    assert.equal(weekdayOf(day), (date.getUTCDay() + 6) % 7)
    assert.equal(daysFromCivil(year, month, ofMonth), day)
  }
})

test('counts the days of each month', () => {
  for (let year = 1970; year < 2410; year += 1) {
    assert.equal(
      isLeapYear(year),
      daysFromCivil(year + 1, 1, 1) - daysFromCivil(year, 1, 1) === 366,
    )
    for (let month = 1; month <= 12; month += 1) {
      const length = daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1)
      assert.equal(daysInMonth(year, month), length)
    }
  }
})
