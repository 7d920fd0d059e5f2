import { compare } from './compare.ts'
import { formatter, viewer } from './viewer.ts'

/** A date without a zone, `YYYY-MM-DD`: March 12 is March 12 for everyone. Sorts as text. */
export type PlainDate = string

const DAY_MS = 86_400_000

/** Whether a text is a date of the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  return ofNumber(numberOf(text)) === text
}

const MINUTE_MS = 60_000
let asked = { zone: '', minute: Number.NaN, day: '' }

/** The date that it is now for the viewer, or in another zone; reckoned once a minute, for each row asks. */
export function today(zone: string = viewer.get().zone, now: number = Date.now()): PlainDate {
  const minute = Math.floor(now / MINUTE_MS)
  if (asked.minute !== minute || asked.zone !== zone) {
    asked = { zone, minute, day: dayOf(now, zone) }
  }
  return asked.day
}

/** The date on which an instant falls: RFC 3339 text or milliseconds. */
export function dayOf(instant: string | number, zone: string = viewer.get().zone): PlainDate {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant)
  const parts = formatter({
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

/** The day so many days later; earlier with less than 0. */
export const addDays = (day: PlainDate, days: number): PlainDate => ofNumber(numberOf(day) + days)

/** The same day of another month; the 31st becomes the last day of a shorter one. */
export function addMonths(day: PlainDate, months: number): PlainDate {
  const [year = 0, month = 1, date = 1] = partsOf(day)
  const first = Date.UTC(year, month - 1 + months, 1)
  const last = Date.UTC(year, month + months, 0)
  return ofNumber(Math.min(first / DAY_MS + date - 1, last / DAY_MS))
}

/** How many days from one to the other; below 0 if `to` is earlier. */
export const daysBetween = (from: PlainDate, to: PlainDate): number => numberOf(to) - numberOf(from)

/** For sorting: none comes last. */
export function compareDays(a: PlainDate | null, b: PlainDate | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compare(a, b)
}

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (day: PlainDate): number => ((((numberOf(day) + 3) % 7) + 7) % 7) + 1

/** The first day of its week, as the viewer begins weeks. */
export const startOfWeek = (day: PlainDate, first: number = viewer.get().weekStart): PlainDate =>
  addDays(day, -((weekdayOf(day) - first + 7) % 7))

/** The first day of its month. */
export const startOfMonth = (day: PlainDate): PlainDate => `${day.slice(0, 8)}01`

/** Whole weeks that show a month, from the first day of a week. */
export function weeksOfMonth(month: PlainDate, first?: number): PlainDate[][] {
  const start = startOfWeek(startOfMonth(month), first)
  const end = addMonths(startOfMonth(month), 1)
  const weeks = Math.ceil(daysBetween(start, end) / 7)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => addDays(start, week * 7 + day)),
  )
}

/**
 * In words of the viewer's locale. `short`: "Tue 24 Nov", with the year in place of the weekday if it is not
 * this year; `long`: "Tuesday 24 November 2026"; `month`: "November 2026"; `weekday`: "Tue"; `ofYear`: "Nov".
 */
export function formatDay(
  day: PlainDate,
  style: 'short' | 'long' | 'month' | 'weekday' | 'ofYear' = 'short',
  now: PlainDate = today(),
): string {
  const far = style === 'short' && day.slice(0, 4) !== now.slice(0, 4)
  const options = far ? STYLES.far : STYLES[style]
  // A comma after the weekday is what some locales write; the gutter has no room for it.
  return formatter({ timeZone: 'UTC', ...options })
    .format(numberOf(day) * DAY_MS)
    .replace(',', '')
}

/** What fits the gutter: "Tue 17" within six days, "17 Nov" of this year, else "Nov 2025". */
export function gutterDay(day: PlainDate, now: PlainDate = today()): string {
  const days = Math.abs(daysBetween(day, now))
  const options =
    days < 7 ? STYLES.near : day.slice(0, 4) === now.slice(0, 4) ? STYLES.sameYear : STYLES.year
  return formatter({ timeZone: 'UTC', ...options }).format(numberOf(day) * DAY_MS)
}

const STYLES: Record<string, Intl.DateTimeFormatOptions> = {
  short: { weekday: 'short', day: 'numeric', month: 'short' },
  far: { day: 'numeric', month: 'short', year: 'numeric' },
  // These two name days of the calendar to pick from, whose months are of this kind in every locale.
  long: { calendar: 'gregory', weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  month: { calendar: 'gregory', month: 'long', year: 'numeric' },
  near: { weekday: 'short', day: 'numeric' },
  sameYear: { day: 'numeric', month: 'short' },
  year: { month: 'short', year: 'numeric' },
  weekday: { weekday: 'short' },
  ofYear: { month: 'short' },
}

/** Days since 1970-01-01, as an index of a project names them; and back. */
export const dayNumber = (day: PlainDate): number => numberOf(day)
export const dayOfNumber = (days: number): PlainDate => ofNumber(days)

const partsOf = (day: PlainDate) => day.split('-').map(Number)

/** Days since 1970-01-01, counted in UTC, where every day has 24 hours. */
function numberOf(day: PlainDate): number {
  const [year = 0, month = 1, date = 1] = partsOf(day)
  return new Date(0).setUTCFullYear(year, month - 1, date) / DAY_MS
}

const ofNumber = (days: number): PlainDate => {
  const at = new Date(days * DAY_MS)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 10)
}
