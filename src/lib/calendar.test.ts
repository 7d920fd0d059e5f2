import assert from 'node:assert/strict'
import { test } from 'node:test'
import { civil, daysOfMonth, isLeap, numberOf, weekdayOf } from './calendar.ts'

test('every day of the years 1970 to 9999 is the one that a Date has', () => {
  for (let day = -1; day <= 2_932_896; day += 7) {
    const date = new Date(day * 86_400_000)
    const { year, month, date: ofMonth } = civil(day)
    const same = year === date.getUTCFullYear() && month === date.getUTCMonth() + 1
    assert.ok(same && ofMonth === date.getUTCDate(), `day ${day}`)
    assert.equal(weekdayOf(day), (date.getUTCDay() + 6) % 7)
    assert.equal(numberOf(year, month, ofMonth), day)
  }
})

test('a month has the days that lie between its first and the next', () => {
  for (let year = 1970; year < 2410; year += 1) {
    assert.equal(isLeap(year), numberOf(year + 1, 1, 1) - numberOf(year, 1, 1) === 366)
    for (let month = 1; month <= 12; month += 1) {
      const length = numberOf(year, month + 1, 1) - numberOf(year, month, 1)
      assert.equal(daysOfMonth(year, month), length)
    }
  }
})
