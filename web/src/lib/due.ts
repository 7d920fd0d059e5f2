import { m } from '../messages/time.ts'
import { addDays, dayOf, daysBetween, formatDay, type PlainDate, today } from './day.ts'
import { type Instant, timeOf } from './instant.ts'

export interface DueWords {
  text: string
  when: 'late' | 'today' | 'later'
}

/**
 * How a due date is told: "2 d late", "Today", "Tomorrow", "Tue 24 Nov"; with a time, "Today 14:00", "3 h late".
 * What is finished is never late.
 */
export function dueWords(
  due: PlainDate,
  { at = null, finished = false, now = Date.now() }: DueOptions = {},
): DueWords {
  // A date is the same for everyone; a time falls on the viewer's day.
  const date = at === null ? due : dayOf(at)
  const here = today(undefined, now)
  const over = at === null ? 0 : now - Date.parse(at)
  if (!finished && date < here) return { text: m.daysLate(daysBetween(date, here)), when: 'late' }
  if (!finished && over > 0 && date === here) return { text: lateToday(over), when: 'late' }
  const time = at === null ? undefined : timeOf(at)
  if (date === here) {
    return { text: time ? m.todayAt(time) : m.today, when: finished ? 'later' : 'today' }
  }
  if (date === addDays(here, 1)) {
    return { text: time ? m.tomorrowAt(time) : m.tomorrow, when: 'later' }
  }
  const day = formatDay(date, 'short', here)
  return { text: time ? m.dayAt(day, time) : day, when: 'later' }
}

export interface DueOptions {
  at?: Instant | null
  finished?: boolean
  now?: number
}

const lateToday = (ms: number): string =>
  ms < 3_600_000
    ? m.minutesLate(Math.max(1, Math.floor(ms / 60_000)))
    : m.hoursLate(Math.floor(ms / 3_600_000))
