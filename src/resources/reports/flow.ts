import type { Categories } from './contract.ts'
import type { Category, Step } from './store.ts'

const NAMES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

/**
 * Tasks by category at the end of each day. It goes back from what is now: a task counts, from the day
 * on which it was made, with its category of now; a change takes its effect off the days before it.
 */
export function flowOf(
  count: number,
  place: (part: string) => number,
  read: readonly Step[],
): Categories[] {
  const steps: Categories[] = Array.from({ length: count + 1 }, () => ({ ...NOTHING }))
  const add = (part: string, category: Category, tasks: number) => {
    const step = steps[Math.min(Math.max(place(part), 0), count)]
    if (step) step[category] += tasks
  }
  for (const { by, part, was, became, count: tasks } of read) {
    const sign = by === 'made' ? -tasks : tasks
    add(part, became, sign)
    if (was) add(part, was, -sign)
  }
  const sums = { ...NOTHING }
  return steps.slice(0, count).map((step) => {
    for (const name of NAMES) sums[name] += step[name]
    return { ...sums }
  })
}

const NOTHING: Categories = { backlog: 0, unstarted: 0, started: 0, completed: 0, canceled: 0 }
