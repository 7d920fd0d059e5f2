import { timeMessages } from '../../messages/app/time.ts'
import { getDateFormatter } from '../locale/viewer.ts'
import { addDaysToDate, countDaysBetween, formatDay, today, toPlainDate } from './plain-date.ts'

/** An RFC 3339 timestamp as the API writes it. */
export type Instant = string

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** "14:02", in the viewer's time zone. */
export const formatTime = (at: Instant): string =>
  getDateFormatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(Date.parse(at))

/** "Fri 20 November 2026 at 14:02:11 GMT+1", with the offset, for tooltips. */
export const formatFullInstant = (at: Instant): string =>
  getDateFormatter(FULL_FORMAT).format(Date.parse(at))

const FULL_FORMAT: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'shortOffset',
}

/** For the narrow time column: "14:02" today, then "Tue 17", "17 Nov" and "Nov 2025". */
export function formatGutterInstant(at: Instant, now: number = Date.now()): string {
  const day = toPlainDate(at)
  const days = countDaysBetween(day, toPlainDate(now))
  if (days === 0) return formatTime(at)
  const ms = Date.parse(at)
  if (days > 0 && days < 7) {
    const weekday = getDateFormatter({ weekday: 'short' }).format(ms)
    return timeMessages.weekdayAnd(weekday, getDateFormatter({ day: 'numeric' }).format(ms))
  }
  if (day.slice(0, 4) === toPlainDate(now).slice(0, 4)) {
    return getDateFormatter({ day: 'numeric', month: 'short' }).format(ms)
  }
  return getDateFormatter({ month: 'short', year: 'numeric' }).format(ms)
}

/** "3 min ago", "5 h ago", then "Yesterday 18:20", "Mon 16 Nov 09:12"; in future "in 6 days". */
export function formatRelative(at: Instant, now: number = Date.now()): string {
  const elapsedMs = now - Date.parse(at)
  if (elapsedMs < -MINUTE_MS / 2) return formatFuture(-elapsedMs)
  if (elapsedMs < MINUTE_MS) return timeMessages.now
  if (elapsedMs < HOUR_MS) return timeMessages.minutesAgo(Math.floor(elapsedMs / MINUTE_MS))
  if (elapsedMs < 12 * HOUR_MS) return timeMessages.hoursAgo(Math.floor(elapsedMs / HOUR_MS))
  return formatDayTime(at, now)
}

/** "Today 13:58", "Yesterday 18:20", "Mon 16 Nov 09:12"; in another year without the time. */
export function formatDayTime(at: Instant, now: number = Date.now()): string {
  const currentDate = today(undefined, now)
  const day = toPlainDate(at)
  if (day === currentDate) return timeMessages.todayAt(formatTime(at))
  if (day === addDaysToDate(currentDate, -1)) return timeMessages.yesterdayAt(formatTime(at))
  if (day === addDaysToDate(currentDate, 1)) return timeMessages.tomorrowAt(formatTime(at))
  const date = formatDay(day, 'short', currentDate)
  return day.slice(0, 4) === currentDate.slice(0, 4)
    ? timeMessages.dayAt(date, formatTime(at))
    : date
}

function formatFuture(ms: number): string {
  if (ms < MINUTE_MS) return timeMessages.inSeconds(Math.round(ms / 1000))
  if (ms < HOUR_MS) return timeMessages.inMinutes(Math.round(ms / MINUTE_MS))
  if (ms < 36 * HOUR_MS) return timeMessages.inHours(Math.round(ms / HOUR_MS))
  return timeMessages.inDays(Math.round(ms / (24 * HOUR_MS)))
}
