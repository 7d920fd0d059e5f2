import { emptyGroup, type IndexGroup, type ProjectIndex } from '../../../data/project-index.ts'
import type { Section } from '../layout.ts'
import type { Line } from '../placement.ts'
import type { Screen } from '../screen.ts'
import { labelOf } from '../sections.ts'
import type { GroupBy } from '../view.ts'

/** Columns of a board: every group, also empty ones; of what is completed only what `recent` lets through. */
export function columnsOf(
  screen: Screen,
  group: GroupBy,
  { groups }: ProjectIndex,
  folded: Readonly<Record<string, boolean>>,
  recent: ((number: number) => boolean) | undefined,
): Section[] {
  const categoryOf = (key: string) =>
    group === 'status'
      ? screen.project.statuses.find((status) => status.key === key)?.category
      : undefined
  return filled(groups, group).map(
    ({ key, numbers, count, estimate_seconds, time_spent_seconds }) => {
      const category = categoryOf(key)
      const few = recent && category === 'completed' ? numbers.filter(recent) : numbers
      return {
        ...{ key, count, adding: false, label: labelOf(screen, group, key) },
        // What was given up takes no place until it is asked for.
        folded: folded[key] ?? category === 'canceled',
        ...{ estimate: estimate_seconds, spent: time_spent_seconds },
        lines: linesOf(few.length < numbers.length ? few : numbers),
      }
    },
  )
}

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']

/** The index has only priorities that some task has; a board has a column for each. */
const filled = (groups: readonly IndexGroup[], group: GroupBy): readonly IndexGroup[] =>
  group === 'priority'
    ? PRIORITIES.map((key) => groups.find((one) => one.key === key) ?? emptyGroup(key))
    : groups

const kept = new WeakMap<readonly number[], readonly Line[]>()

function linesOf(numbers: readonly number[]): readonly Line[] {
  let lines = kept.get(numbers)
  if (!lines) {
    lines = numbers.map((number) => ({ number, depth: 0 }))
    kept.set(numbers, lines)
  }
  return lines
}
