import { HOUR_MS } from '#lib/durations.ts'
import { timeMessages } from '../../messages/app/time.ts'
import { formatTime, type Instant } from './instant.ts'
import {
  addDaysToDate,
  countDaysBetween,
  formatDay,
  type PlainDate,
  today,
  toPlainDate,
} from './plain-date.ts'

interface DueLabel {
  text: string
  when: 'late' | 'today' | 'later'
}

/**
 * Formats a due date: "2 d late", "Today", "Tomorrow", "Tue 24 Nov"; with a time "Today 14:00" or
 * "3 h late". A finished task is never late.
 */
export function formatDue(
  due: PlainDate,
  { at = null, finished = false, now = Date.now() }: DueOptions = {},
): DueLabel {
  // A date is the same for everyone; a time belongs to a day in the viewer's time zone.
  const date = at === null ? due : toPlainDate(at)
  const currentDate = today(undefined, now)
  const overdueMs = at === null ? 0 : now - Date.parse(at)
  if (!finished && date < currentDate)
    return { text: timeMessages.daysLate(countDaysBetween(date, currentDate)), when: 'late' }
  if (!finished && overdueMs > 0 && date === currentDate)
    return { text: formatLateToday(overdueMs), when: 'late' }
  const time = at === null ? undefined : formatTime(at)
  if (date === currentDate) {
    return {
      text: time ? timeMessages.todayAt(time) : timeMessages.today,
      when: finished ? 'later' : 'today',
    }
  }
  if (date === addDaysToDate(currentDate, 1)) {
    return { text: time ? timeMessages.tomorrowAt(time) : timeMessages.tomorrow, when: 'later' }
  }
  const day = formatDay(date, 'short', currentDate)
  return { text: time ? timeMessages.dayAt(day, time) : day, when: 'later' }
}

export interface DueOptions {
  at?: Instant | null
  finished?: boolean
  now?: number
}

const formatLateToday = (ms: number): string =>
  ms < HOUR_MS
    ? timeMessages.minutesLate(Math.max(1, Math.floor(ms / 60_000)))
    : timeMessages.hoursLate(Math.floor(ms / HOUR_MS))
