import { getDueDay } from '../../data/tasks/due-day.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { addDaysToDate, type PlainDate } from '../../lib/dates/plain-date.ts'
import { sortByOwnOrder } from './today-order.ts'

export const MY_WORK_SECTIONS = ['overdue', 'today', 'soon', 'later', 'none'] as const
export type MyWorkSection = (typeof MY_WORK_SECTIONS)[number]

/** The section of a task, by its due day and the current day of the user. */
export function getMyWorkSection(
  task: Pick<Task, 'due_date' | 'due_at'>,
  today: PlainDate,
): MyWorkSection {
  const due = getDueDay(task)
  if (due === null) return 'none'
  if (due < today) return 'overdue'
  if (due === today) return 'today'
  return due <= addDaysToDate(today, 7) ? 'soon' : 'later'
}

/**
 * Groups tasks by section, each sorted by due day, priority and number; those of today first as the
 * person has ordered them.
 */
export function groupByMyWorkSection(
  tasks: readonly Task[],
  today: PlainDate,
  todayOrder: readonly string[] = [],
): Map<MyWorkSection, Task[]> {
  const sections = new Map<MyWorkSection, Task[]>(MY_WORK_SECTIONS.map((section) => [section, []]))
  for (const task of tasks) sections.get(getMyWorkSection(task, today))?.push(task)
  for (const some of sections.values()) some.sort(compareInSection)
  sections.set('today', sortByOwnOrder(sections.get('today') ?? [], todayOrder))
  return sections
}

const PRIORITY_ORDER = ['urgent', 'high', 'medium', 'low', 'none']

function compareInSection(a: Task, b: Task): number {
  const [due, other] = [getDueDay(a) ?? '9999', getDueDay(b) ?? '9999']
  if (due !== other) return due < other ? -1 : 1
  const rank = PRIORITY_ORDER.indexOf(a.priority) - PRIORITY_ORDER.indexOf(b.priority)
  return rank || a.number - b.number
}

/**
 * Seconds of work left for each due day of the week that begins today. Overdue tasks count as due
 * today.
 */
export function getWeekWorkload(
  tasks: readonly Task[],
  today: PlainDate,
): { day: PlainDate; seconds: number }[] {
  return Array.from({ length: 7 }, (_, offset) => {
    const day = addDaysToDate(today, offset)
    const due = tasks.filter((task) => {
      const dueDay = getDueDay(task)
      return offset === 0 ? dueDay !== null && dueDay <= day : dueDay === day
    })
    return { day, seconds: sumRemainingSeconds(due) }
  })
}

/** The seconds left of the estimates of tasks. */
export const sumRemainingSeconds = (tasks: readonly Task[]): number =>
  tasks.reduce((sum, task) => sum + getRemainingSeconds(task), 0)

/** The seconds left of an estimate; 0 without one, or once the task is completed. */
const getRemainingSeconds = ({
  estimate_seconds,
  time_spent_seconds,
  completed_at,
}: Task): number =>
  completed_at === null ? Math.max(0, (estimate_seconds ?? 0) - time_spent_seconds) : 0
