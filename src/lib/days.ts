import { daysOfMonth } from './calendar.ts'

/** Is this a real calendar day, `YYYY-MM-DD`, of the years 1970 to 9999? */
export function isDay(text: string): boolean {
  const found = DAY.exec(text)
  if (!found) return false
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month)
}

/**
 * An RFC 3339 timestamp as UTC text with three decimals, the rest cut off. Undefined without `T` or
 * offset, for 24:00, second 60, and years outside 1970 to 9999 as written or in UTC.
 */
export function toTimestamp(text: string): string | undefined {
  const found = TIMESTAMP.exec(text)
  if (!found) return
  const [, day = '', time = '', decimals = '', sign, hours, minutes] = found
  if (!isDay(day)) return
  const local = `${day}T${time}.${decimals.padEnd(3, '0').slice(0, 3)}Z`
  if (sign === undefined) return local
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  const utc = addMs(local, sign === '+' ? -offset : offset)
  return isDay(utc.slice(0, 10)) ? utc : undefined
}

/**
 * Is this the IANA name of a time zone, in its usual spelling (`Europe/Zurich`, `UTC`)? An offset
 * is none.
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
 * The calendar day of a timestamp in a zone. At the ends of the range it can be 1969-12-31 or
 * +010000-01-01, which isDay refuses.
 */
export function dayIn(timezone: string, timestamp: string): string {
  return zoned(timestamp, timezone).toPlainDate().toString()
}

/**
 * The timestamp, on a day in a zone, at the wall-clock time that another timestamp has there. In a
 * gap of the clock it is later by the gap; of an hour that comes twice it is the first.
 */
export function wallTimeOn(day: string, timezone: string, likeTimestamp: string): string {
  return onDay(day, timezone, zoned(likeTimestamp, timezone).toPlainTime())
}

/** The wall-clock time of a timestamp in a zone, `HH:MM`; and the timestamp of one on a day. */
export const wallTimeOf = (timezone: string, timestamp: string): string =>
  zoned(timestamp, timezone).toPlainTime().toString({ smallestUnit: 'minute' })

export function atWallTime(day: string, timezone: string, time: string): string {
  return onDay(day, timezone, Temporal.PlainTime.from(time))
}

function onDay(day: string, timeZone: string, plainTime: Temporal.PlainTime): string {
  const there = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime })
  return new Date(there.epochMilliseconds).toISOString()
}

/** The next time, after a timestamp, at which clocks of a zone show a full hour; in a gap it is later by the gap. */
export function nextHourIn(timezone: string, after: string, hour: number): string {
  const now = zoned(after, timezone)
  const on = (days: number) =>
    now.toPlainDate().add({ days }).toZonedDateTime({ timeZone: timezone, plainTime: { hour } })
  const today = on(0)
  const next = today.epochMilliseconds > now.epochMilliseconds ? today : on(1)
  return new Date(next.epochMilliseconds).toISOString()
}

/** The day that many days later, or earlier when negative. */
export const addDays = (day: string, days: number): string => dayOf(dayNumber(day) + days)

/** How many days after `from` the day `to` is. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from)

/** The timestamp that many milliseconds later. */
export const addMs = (timestamp: string, ms: number): string =>
  new Date(Date.parse(timestamp) + ms).toISOString()

/** How many milliseconds after `from` the timestamp `to` is. */
export const msBetween = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

/** A day as the number of days since 1970-01-01, to calculate with. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS

/** The day of such a number. */
export const dayOf = (number: number): string => {
  const text = new Date(number * DAY_MS).toISOString()
  return text.slice(0, text.indexOf('T'))
}

const DAY_MS = 86_400_000
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/

const zoned = (timestamp: string, timezone: string) =>
  Temporal.Instant.from(timestamp).toZonedDateTimeISO(timezone)
