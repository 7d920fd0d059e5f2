import { type Docket, getMe } from '../../sdk/src/index.ts'
import { findWeekday, parseTypedDate } from '../../src/lib/typed-dates.ts'
import { parseDuration } from '../../src/lib/typed-duration.ts'
import { CommandUsageError } from './failures.ts'

const DAY_MS = 86_400_000
const ENGLISH = { words: {}, isMonthFirst: false }

/** Whether the name of a weekday means the next one, or the last one, which today may be. */
type DayDirection = 'next' | 'last'

/** What a day may be, for help. */
export const describeDays = (direction: DayDirection): string =>
  `today, yesterday, tomorrow, friday (the ${direction} one), "24 Dec" or 2026-12-24`

/** Whether a text names a day by its date, which is the same for everybody. No year has a 30 February. */
export function isDate(text: string): boolean {
  const time = Date.parse(text)
  // What `Date` reads as a day of the next month comes back as another text.
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

export const isWeekday = (text: string): boolean => findWeekday(text.toLowerCase(), 3) !== undefined

/** The day that many days later. */
export const dayPlus = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** The time zone that a person has in Docket, which decides their days, whatever that of this computer is. */
export async function readTimezone(docket: Docket): Promise<string> {
  return (await getMe(docket)).user.timezone
}

/** Reads a day as the API takes it. Throws for a text that names none. */
export async function readDay(
  docket: Docket,
  text: string,
  direction: DayDirection,
): Promise<string> {
  if (isDate(text)) return text
  const today = formatDate(new Date(), await readTimezone(docket))
  const day = dayFrom(today, text, direction)
  if (day === undefined) {
    throw new CommandUsageError(`"${text}" is not a day. Write ${describeDays(direction)}.`)
  }
  return day
}

/** The day that a text means on a day. The next friday is never the day itself, the last one may be. */
export function dayFrom(today: string, text: string, direction: DayDirection): string | undefined {
  const context = { today, clock: () => '00:00', language: ENGLISH, direction }
  const { date, time } = parseTypedDate(text, context) ?? {}
  return time === undefined ? (date ?? undefined) : undefined
}

const partsOf = (time: Date, options: Intl.DateTimeFormatOptions): Record<string, string> =>
  Object.fromEntries(
    new Intl.DateTimeFormat('en', { ...options, hourCycle: 'h23' })
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )

function formatDate(time: Date, timeZone: string): string {
  const numeric = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const { year, month, day } = partsOf(time, { timeZone, ...numeric })
  return `${year}-${month}-${day}`
}

/** Formats the time of day as `14:30:05`. */
export function formatClock(timestamp: string, timeZone: string): string {
  const numeric = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  const { hour, minute, second } = partsOf(new Date(timestamp), { timeZone, ...numeric })
  return `${hour}:${minute}:${second}`
}

/** Formats a time as `2026-12-24 14:30 GMT+1`. */
export function formatLocalTime(timestamp: string, timeZone: string): string {
  const time = new Date(timestamp)
  const { timeZoneName } = partsOf(time, { timeZone, timeZoneName: 'short' })
  const clock = formatClock(timestamp, timeZone).slice(0, 5)
  return `${formatDate(time, timeZone)} ${clock} ${timeZoneName}`
}

/** Parses a duration with its unit, such as `1h30m`, `1h 30m` or `1.5h`, into seconds; undefined for another text. */
export const parseTimeSpan = (text: string): number | undefined =>
  /[a-z]/i.test(text) ? parseDuration(text) : undefined

/** Formats seconds as `1h 30m`. */
export function formatTimeSpan(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds}s`
  const hours = Math.floor(minutes / 60)
  return [hours > 0 ? `${hours}h` : '', minutes % 60 > 0 ? `${minutes % 60}m` : '']
    .filter(Boolean)
    .join(' ')
}
