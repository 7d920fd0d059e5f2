/**
 * Year, month (1 to 12) and date of a day by its number since 1970-01-01. By arithmetic, in years
 * that begin in March and in cycles of 400: a Date is slower, and rules look at many days.
 */
export function civil(day: number): { year: number; month: number; date: number } {
  const since = day + 719_468
  const era = Math.floor(since / 146_097)
  const ofEra = since - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) /
      365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * ofYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: ofYear - Math.floor((153 * shifted + 2) / 5) + 1,
  }
}

/** The number of a day; a month above 12 is one of a later year. */
export const numberOf = (year: number, month: number, date: number): number =>
  Date.UTC(year, month - 1, date) / 86_400_000

/** The weekday of a day by its number, 0 for Monday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** How many days a month (1 to 12) has. */
export function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Has the year a 29 February? */
export const isLeap = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
