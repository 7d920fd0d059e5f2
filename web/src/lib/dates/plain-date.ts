import { DAY_MS } from '#lib/durations.ts'
import { getDateFormatter, viewer } from '../locale/viewer.ts'
import { compareText } from '../text/compare-text.ts'

/** A date without a time zone, `YYYY-MM-DD`, the same for everyone. It sorts as text. */
export type PlainDate = string

/** Whether a text is an existing calendar date. */
export function isPlainDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  return toDate(toDays(text)) === text
}

const MINUTE_MS = 60_000
let cachedToday = { zone: '', minute: Number.NaN, day: '' }

/** The current date of the viewer, or in another zone. Cached per minute, since every row asks. */
export function today(zone: string = viewer.get().zone, now: number = Date.now()): PlainDate {
  const minute = Math.floor(now / MINUTE_MS)
  if (cachedToday.minute !== minute || cachedToday.zone !== zone) {
    cachedToday = { zone, minute, day: toPlainDate(now, zone) }
  }
  return cachedToday.day
}

/** The date of an instant (RFC 3339 text or milliseconds) in a time zone. */
export function toPlainDate(instant: string | number, zone: string = viewer.get().zone): PlainDate {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant)
  const parts = getDateFormatter({
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(ms)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** Adds days to a date; a negative number subtracts. */
export const addDaysToDate = (day: PlainDate, days: number): PlainDate => toDate(toDays(day) + days)

/** Adds months to a date; the 31st becomes the last day of a shorter month. */
export function addMonthsToDate(day: PlainDate, months: number): PlainDate {
  const [year = 0, month = 1, date = 1] = splitDate(day)
  const first = Date.UTC(year, month - 1 + months, 1)
  const last = Date.UTC(year, month + months, 0)
  return toDate(Math.min(first / DAY_MS + date - 1, last / DAY_MS))
}

/** The number of days from one date to another; negative if `to` is earlier. */
export const countDaysBetween = (from: PlainDate, to: PlainDate): number =>
  toDays(to) - toDays(from)

/** Compares dates for sorting; null comes last. */
export function compareDays(a: PlainDate | null, b: PlainDate | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareText(a, b)
}

/** The ISO weekday: 1 is Monday, 7 is Sunday. */
export const isoWeekday = (day: PlainDate): number => ((((toDays(day) + 3) % 7) + 7) % 7) + 1

/** The first day of a date's week, by default with the viewer's first weekday. */
export const startOfWeek = (day: PlainDate, first: number = viewer.get().weekStart): PlainDate =>
  addDaysToDate(day, -((isoWeekday(day) - first + 7) % 7))

/** The first day of a date's month. */
export const startOfMonth = (day: PlainDate): PlainDate => `${day.slice(0, 8)}01`

/** The full weeks that cover a month. */
export function weeksOfMonth(month: PlainDate, first?: number): PlainDate[][] {
  const start = startOfWeek(startOfMonth(month), first)
  const end = addMonthsToDate(startOfMonth(month), 1)
  const weeks = Math.ceil(countDaysBetween(start, end) / 7)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => addDaysToDate(start, week * 7 + day)),
  )
}

/**
 * Formats a date in the viewer's locale. `short`: "Tue 24 Nov", or "18 Feb 2027" in another year;
 * `long`: "Tuesday 24 November 2026"; `month`: "November 2026"; `weekday`: "Tue"; `ofYear`: "Nov".
 */
export function formatDay(
  day: PlainDate,
  style: 'short' | 'long' | 'month' | 'weekday' | 'ofYear' = 'short',
  now: PlainDate = today(),
): string {
  const far = style === 'short' && day.slice(0, 4) !== now.slice(0, 4)
  const options = far ? STYLES.far : STYLES[style]
  // Some locales write a comma after the weekday, for which the narrow date column has no room.
  return getDateFormatter({ timeZone: 'UTC', ...options })
    .format(toDays(day) * DAY_MS)
    .replace(',', '')
}

/** For the narrow date column: "Tue 17" within six days, "17 Nov" this year, else "Nov 2025". */
export function formatGutterDay(day: PlainDate, now: PlainDate = today()): string {
  const days = Math.abs(countDaysBetween(day, now))
  const options =
    days < 7 ? STYLES.near : day.slice(0, 4) === now.slice(0, 4) ? STYLES.sameYear : STYLES.year
  return getDateFormatter({ timeZone: 'UTC', ...options }).format(toDays(day) * DAY_MS)
}

const STYLES: Record<string, Intl.DateTimeFormatOptions> = {
  short: { weekday: 'short', day: 'numeric', month: 'short' },
  far: { day: 'numeric', month: 'short', year: 'numeric' },
  // These two label the date picker, which has Gregorian months in every locale.
  long: { calendar: 'gregory', weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  month: { calendar: 'gregory', month: 'long', year: 'numeric' },
  near: { weekday: 'short', day: 'numeric' },
  sameYear: { day: 'numeric', month: 'short' },
  year: { month: 'short', year: 'numeric' },
  weekday: { weekday: 'short' },
  ofYear: { month: 'short' },
}

const splitDate = (day: PlainDate) => day.split('-').map(Number)

/** Days since 1970-01-01, counted in UTC, where every day has 24 hours. */
function toDays(day: PlainDate): number {
  const [year = 0, month = 1, date = 1] = splitDate(day)
  return new Date(0).setUTCFullYear(year, month - 1, date) / DAY_MS
}

const toDate = (days: number): PlainDate => {
  const at = new Date(days * DAY_MS)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 10)
}
