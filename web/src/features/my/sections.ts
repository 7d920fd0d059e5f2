import type { Task } from '#resources/tasks/fields.ts'
import { addDays, type PlainDate } from '../../lib/day.ts'

export const SECTIONS = ['overdue', 'today', 'soon', 'later', 'none'] as const
export type Section = (typeof SECTIONS)[number]

/** In which part of my work a task stands: by its due date, in the viewer's days. */
export function sectionOf({ due_date }: Pick<Task, 'due_date'>, today: PlainDate): Section {
  if (due_date === null) return 'none'
  if (due_date < today) return 'overdue'
  if (due_date === today) return 'today'
  return due_date <= addDays(today, 7) ? 'soon' : 'later'
}

/** Tasks by section, each in order of due date, priority, number. */
export function bySection(tasks: readonly Task[], today: PlainDate): Map<Section, Task[]> {
  const sections = new Map<Section, Task[]>(SECTIONS.map((section) => [section, []]))
  for (const task of tasks) sections.get(sectionOf(task, today))?.push(task)
  for (const found of sections.values()) found.sort(inOrder)
  return sections
}

const RANKS = ['urgent', 'high', 'medium', 'low', 'none']

function inOrder(a: Task, b: Task): number {
  const [due, other] = [a.due_date ?? '9999', b.due_date ?? '9999']
  if (due !== other) return due < other ? -1 : 1
  const rank = RANKS.indexOf(a.priority) - RANKS.indexOf(b.priority)
  return rank || a.number - b.number
}

/** Seconds of work that are left, by due day, for the days of a week from today; what is late counts today. */
export function loadOf(
  tasks: readonly Task[],
  today: PlainDate,
): { day: PlainDate; seconds: number }[] {
  return Array.from({ length: 7 }, (_, at) => {
    const day = addDays(today, at)
    const due = tasks.filter(({ due_date }) =>
      at === 0 ? due_date !== null && due_date <= day : due_date === day,
    )
    return { day, seconds: due.reduce((sum, task) => sum + leftOf(task), 0) }
  })
}

/** What an estimate has left; nothing where there is none. */
const leftOf = ({ estimate_seconds, time_spent_seconds }: Task): number =>
  Math.max(0, (estimate_seconds ?? 0) - time_spent_seconds)
