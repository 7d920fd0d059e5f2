import type { ProjectIndex } from '../../../data/project-index.ts'
import {
  addDays,
  addMonths,
  type PlainDate,
  startOfMonth,
  startOfWeek,
  weeksOfMonth,
} from '../../../lib/day.ts'
import type { Spans } from '../plan/spans.ts'

export const PERIODS = ['month', 'week'] as const
export type Period = (typeof PERIODS)[number]

/** The weeks that show a day: all of its month, or its own. */
export function weeksAround(day: PlainDate, period: Period): PlainDate[][] {
  if (period === 'month') return weeksOfMonth(day)
  const first = startOfWeek(day)
  return [Array.from({ length: 7 }, (_, at) => addDays(first, at))]
}

/** The numbers of the tasks due on each day, in the order of the view; those without a due date apart. */
export function byDay({ groups }: ProjectIndex, spans: Spans) {
  const days = new Map<PlainDate, number[]>()
  const without: number[] = []
  const seen = new Set<number>()
  for (const { numbers } of groups) {
    for (const number of numbers) {
      if (seen.has(number)) continue
      seen.add(number)
      const due = spans.of(number)?.due
      const known = due ? days.get(due) : without
      if (known) known.push(number)
      else if (due) days.set(due, [number])
    }
  }
  return { days, without }
}

/** Where a key leads from a day of the grid. */
export const STEPS: Record<string, (day: PlainDate) => PlainDate> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  Home: (day) => startOfWeek(day),
  End: (day) => addDays(startOfWeek(day), 6),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
}

/** The same day of the next month or week, or of the one before. */
export const turned = (day: PlainDate, period: Period, by: -1 | 1): PlainDate =>
  period === 'month' ? addMonths(startOfMonth(day), by) : addDays(day, by * 7)
