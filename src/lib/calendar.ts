import { DAY_MS } from './durations.ts'

/**
 * Year, month (1 to 12) and date of a day number since 1970-01-01 (`civil_from_days` by Howard
 * Hinnant: years begin in March, cycles of 400 years). A `Date` is slower, and recurrence rules
 * check many days.
 */
export function civilFromDays(day: number): { year: number; month: number; date: number } {
  const daysSinceMarch0 = day + 719_468
  const era = Math.floor(daysSinceMarch0 / 146_097)
  const dayOfEra = daysSinceMarch0 - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  }
}

/** The number of days since 1970-01-01; months above 12 continue into later years. */
export const daysFromCivil = (year: number, month: number, date: number): number =>
  Date.UTC(year, month - 1, date) / DAY_MS

/** The weekday of a day number, 0 for Monday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** The number of days in a month (1 to 12). */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Whether the year has a 29 February. */
export const isLeapYear = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
