import { m } from '../messages/time.ts'
import { addDays, dayOf, daysBetween, formatDay, today } from './day.ts'
import { formatter } from './viewer.ts'

/** RFC 3339 text as the API writes it. */
export type Instant = string

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** "14:02", in the viewer's zone. */
export const timeOf = (at: Instant): string =>
  formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(Date.parse(at))

/** "Friday 20 November 2026 at 14:02:11 GMT+1": with the offset, for a title. */
export const fullOf = (at: Instant): string => formatter(FULL).format(Date.parse(at))

const FULL: Intl.DateTimeFormatOptions = {
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

/** What fits the gutter: "14:02" today, "Tue 17" within six days, then "17 Nov", then "Nov 2025". */
export function gutterOf(at: Instant, now: number = Date.now()): string {
  const day = dayOf(at)
  const days = daysBetween(day, dayOf(now))
  if (days === 0) return timeOf(at)
  const ms = Date.parse(at)
  if (days > 0 && days < 7) return formatter({ weekday: 'short', day: 'numeric' }).format(ms)
  if (day.slice(0, 4) === dayOf(now).slice(0, 4)) {
    return formatter({ day: 'numeric', month: 'short' }).format(ms)
  }
  return formatter({ month: 'short', year: 'numeric' }).format(ms)
}

/** "3 min ago", "5 h ago", then "Yesterday 18:20", "Mon 16 Nov 09:12"; ahead: "in 6 days". */
export function agoOf(at: Instant, now: number = Date.now()): string {
  const past = now - Date.parse(at)
  if (past < -MINUTE / 2) return aheadOf(-past)
  if (past < MINUTE) return m.now
  if (past < HOUR) return m.minutesAgo(Math.floor(past / MINUTE))
  if (past < 12 * HOUR) return m.hoursAgo(Math.floor(past / HOUR))
  return dayTimeOf(at, now)
}

/** "Today 13:58", "Yesterday 18:20", "Mon 16 Nov 09:12"; of another year without the time. */
export function dayTimeOf(at: Instant, now: number = Date.now()): string {
  const here = today(undefined, now)
  const day = dayOf(at)
  if (day === here) return m.todayAt(timeOf(at))
  if (day === addDays(here, -1)) return m.yesterdayAt(timeOf(at))
  if (day === addDays(here, 1)) return m.tomorrowAt(timeOf(at))
  const words = formatDay(day, 'short', here)
  return day.slice(0, 4) === here.slice(0, 4) ? m.dayAt(words, timeOf(at)) : words
}

function aheadOf(ms: number): string {
  if (ms < MINUTE) return m.inSeconds(Math.round(ms / 1000))
  if (ms < HOUR) return m.inMinutes(Math.round(ms / MINUTE))
  if (ms < 36 * HOUR) return m.inHours(Math.round(ms / HOUR))
  return m.inDays(Math.round(ms / (24 * HOUR)))
}
