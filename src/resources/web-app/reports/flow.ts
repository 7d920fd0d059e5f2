import type { CategoryCounts } from './contract.ts'
import type { FlowStep, TaskCategory } from './store.ts'

const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

/**
 * Tasks by category at the end of each day, reconstructed backwards from the present. A task counts
 * with its present category from the day of its creation, and each change is undone for the days
 * before it.
 */
export function computeFlow(
  count: number,
  dayIndexOf: (part: string) => number,
  steps: readonly FlowStep[],
): CategoryCounts[] {
  const changesByDay: CategoryCounts[] = Array.from({ length: count + 1 }, () => ({
    ...ZERO_COUNTS,
  }))
  const add = (part: string, category: TaskCategory, tasks: number) => {
    const step = changesByDay[Math.min(Math.max(dayIndexOf(part), 0), count)]
    if (step) step[category] += tasks
  }
  for (const { by, part, was, became, count: tasks } of steps) {
    const sign = by === 'made' ? -tasks : tasks
    add(part, became, sign)
    if (was) add(part, was, -sign)
  }
  const totals = { ...ZERO_COUNTS }
  return changesByDay.slice(0, count).map((step) => {
    for (const name of CATEGORIES) totals[name] += step[name]
    return { ...totals }
  })
}

const ZERO_COUNTS: CategoryCounts = {
  backlog: 0,
  unstarted: 0,
  started: 0,
  completed: 0,
  canceled: 0,
}
