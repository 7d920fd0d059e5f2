import {
  addDaysToDate,
  addMonthsToDate,
  type PlainDate,
  startOfMonth,
  startOfWeek,
  weeksOfMonth,
} from '../../../lib/dates/plain-date.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import type { TaskSpans } from '../schedule/task-spans.ts'

export const CALENDAR_PERIODS = ['month', 'week'] as const
export type CalendarPeriod = (typeof CALENDAR_PERIODS)[number]

/** The weeks of the period that contains a day: all weeks of its month, or only its own. */
export function weeksAround(day: PlainDate, period: CalendarPeriod): PlainDate[][] {
  if (period === 'month') return weeksOfMonth(day)
  const first = startOfWeek(day)
  return [Array.from({ length: 7 }, (_, at) => addDaysToDate(first, at))]
}

/** The days of a phone's list from today on, also past the end of the month. */
const AGENDA_DAYS = 28

/** The weeks of a phone's list: in the present month also those of the next four weeks. */
export function weeksOfAgenda(
  day: PlainDate,
  period: CalendarPeriod,
  today: PlainDate,
): PlainDate[][] {
  const weeks = weeksAround(day, period)
  if (period === 'week' || startOfMonth(day) !== startOfMonth(today)) return weeks
  const end = addDaysToDate(today, AGENDA_DAYS)
  for (let first = startOfWeek(day); first < end; first = addDaysToDate(first, 7)) {
    if (!weeks.some(([monday]) => monday === first)) weeks.push(...weeksAround(first, 'week'))
  }
  return weeks
}

/**
 * Groups task ids by due day, in the order of the view; `without` are those without a due date.
 */
export function groupByDueDay({ groups }: ProjectList, spans: TaskSpans) {
  const days = new Map<PlainDate, string[]>()
  const without: string[] = []
  const seen = new Set<string>()
  for (const { ids } of groups) {
    for (const id of ids) {
      if (seen.has(id)) continue
      seen.add(id)
      const due = spans.get(id)?.due
      const idsOfDay = due ? days.get(due) : without
      if (idsOfDay) idsOfDay.push(id)
      else if (due) days.set(due, [id])
    }
  }
  return { days, without }
}

/** The number of tasks that fit into a day of a month or of a week. */
export const TASKS_PER_DAY: Record<CalendarPeriod, number> = { month: 3, week: 14 }

/** The tasks of a day that its cell shows; the one under the cursor is always among them. */
export function listFittingTasks(
  ids: readonly string[] = [],
  room: number,
  cursor: string | undefined,
): readonly string[] {
  if (ids.length <= room) return ids
  const fitting = ids.slice(0, room - 1)
  const isHidden = cursor !== undefined && ids.indexOf(cursor) >= fitting.length
  return isHidden ? [...fitting.slice(0, -1), cursor] : fitting
}

/** The day to which a key moves from a day of the grid. */
export const DAY_STEP_BY_KEY: Record<string, (day: PlainDate) => PlainDate> = {
  ArrowLeft: (day) => addDaysToDate(day, -1),
  ArrowRight: (day) => addDaysToDate(day, 1),
  ArrowUp: (day) => addDaysToDate(day, -7),
  ArrowDown: (day) => addDaysToDate(day, 7),
  Home: (day) => startOfWeek(day),
  End: (day) => addDaysToDate(startOfWeek(day), 6),
  PageUp: (day) => addMonthsToDate(day, -1),
  PageDown: (day) => addMonthsToDate(day, 1),
}

/** The first day of the next or previous month, or the same day of the next or previous week. */
export const shiftPeriod = (day: PlainDate, period: CalendarPeriod, by: -1 | 1): PlainDate =>
  period === 'month' ? addMonthsToDate(startOfMonth(day), by) : addDaysToDate(day, by * 7)
