import assert from 'node:assert/strict'
import { test } from 'node:test'
import { civilFromDays, daysFromCivil, daysInMonth, isLeapYear, weekdayOf } from './days.ts'

test('agrees with Date for every day from 1970 to 9999', () => {
  for (let day = -1; day <= 2_932_896; day += 7) {
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
