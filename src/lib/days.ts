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

/** The first day that Docket stores. */
const FIRST_DAY = '1970-01-01'

/** The first day that Docket stores instead of an earlier one. */
export const atLeastFirstDay = (day: string): string => (isDay(day) ? day : FIRST_DAY)

/** Whether the text is a real calendar day, `YYYY-MM-DD`, of the years 1970 to 9999. */
export function isDay(text: string): boolean {
  const match = DAY.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/**
 * Converts an RFC 3339 timestamp to UTC with three decimals; further decimals are cut off. Offsets
 * without a colon are accepted, too, because many libraries write `+0000`. Undefined without `T` or
 * offset, for 24:00, second 60, and years outside 1970 to 9999, as written or in UTC.
 */
export function normalizeTimestamp(text: string): string | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return
  const [, day = '', time = '', decimals = '', sign, hours, minutes] = match
  if (!isDay(day)) return
  const local = `${day}T${time}.${decimals.padEnd(3, '0').slice(0, 3)}Z`
  if (sign === undefined) return local
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  const utc = addMs(local, sign === '+' ? -offset : offset)
  return isDay(utc.slice(0, 10)) ? utc : undefined
}

/**
 * Whether the text is the IANA name of a time zone in its canonical spelling (`Europe/Zurich`,
 * `UTC`). Offsets are not.
 */
export function isTimezone(text: string): boolean {
  if (!/^[A-Z]/i.test(text)) return false
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId === text
  } catch {
    return false
  }
}

/**
 * The calendar day of a timestamp in a time zone. At the ends of the range it can be 1969-12-31 or
 * +010000-01-01, which `isDay` rejects.
 */
export function dayIn(timezone: string, timestamp: string): string {
  return zoned(timestamp, timezone).toPlainDate().toString()
}

/**
 * The timestamp on a day in a time zone with the wall-clock time of another timestamp. In the gap
 * of a clock change it is later by the gap, or earlier if it would fall on the next day; of an hour
 * that occurs twice it is the first.
 */
export function wallTimeOn(day: string, timezone: string, likeTimestamp: string): string {
  return onDay(day, timezone, zoned(likeTimestamp, timezone).toPlainTime())
}

/** The wall-clock time of a timestamp in a time zone, `HH:MM`. */
export const wallTimeOf = (timezone: string, timestamp: string): string =>
  zoned(timestamp, timezone).toPlainTime().toString({ smallestUnit: 'minute' })

/** The timestamp of a wall-clock time (`HH:MM`) on a day in a time zone. */
export function atWallTime(day: string, timezone: string, time: string): string {
  return onDay(day, timezone, Temporal.PlainTime.from(time))
}

function onDay(day: string, timeZone: string, plainTime: Temporal.PlainTime): string {
  const wallTime = Temporal.PlainDate.from(day).toPlainDateTime(plainTime)
  const later = wallTime.toZonedDateTime(timeZone)
  // The clocks of Nuuk skip the last hour of a day.
  const earlier = wallTime.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  const isOnDay = (local: Temporal.ZonedDateTime) =>
    local.toPlainDate().equals(wallTime.toPlainDate())
  const local = isOnDay(later) || !isOnDay(earlier) ? later : earlier
  return new Date(local.epochMilliseconds).toISOString()
}

/** The next time after a timestamp at which it is `hour` o'clock; in a gap, later by the gap. */
export function nextFullHour(timezone: string, after: string, hour: number): string {
  const now = zoned(after, timezone)
  const hourInDays = (days: number) =>
    now.toPlainDate().add({ days }).toZonedDateTime({ timeZone: timezone, plainTime: { hour } })
  const today = hourInDays(0)
  const next = today.epochMilliseconds > now.epochMilliseconds ? today : hourInDays(1)
  return new Date(next.epochMilliseconds).toISOString()
}

/** The day `days` later, or earlier if negative. */
export const addDays = (day: string, days: number): string => dayFromNumber(dayNumber(day) + days)

/** The Monday of the week of a day. */
export const mondayOf = (day: string): string => addDays(day, -weekdayOf(dayNumber(day)))

/** The number of days from `from` to `to`. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from)

/** The timestamp `ms` milliseconds later. */
export const addMs = (timestamp: string, ms: number): string =>
  new Date(Date.parse(timestamp) + ms).toISOString()

/** The number of milliseconds from `from` to `to`. */
export const msBetween = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

/** The number of days since 1970-01-01, for arithmetic. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS

/** The day of a number from `dayNumber`. */
export const dayFromNumber = (number: number): string => {
  const text = new Date(number * DAY_MS).toISOString()
  return text.slice(0, text.indexOf('T'))
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/

const zoned = (timestamp: string, timezone: string) =>
  Temporal.Instant.from(timestamp).toZonedDateTimeISO(timezone)
