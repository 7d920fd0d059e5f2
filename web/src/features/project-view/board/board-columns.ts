import {
  createEmptyIndexGroup,
  type ProjectIndex,
  type ProjectIndexGroup,
} from '../../../data/cache/project-index.ts'
import type { NestedTask } from '../grouping/apply-local-changes.ts'
import { getGroupLabel } from '../grouping/task-sections.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { GroupBy } from '../project-view.ts'

/**
 * The columns of a board: every group, even if it is empty. Completed tasks are reduced to those
 * that pass `recent`.
 */
export function buildBoardColumns(
  context: ProjectPageContext,
  group: GroupBy,
  { groups }: ProjectIndex,
  folded: Readonly<Record<string, boolean>>,
  recent: ((number: number) => boolean) | undefined,
): TaskSection[] {
  const categoryOf = (key: string) =>
    group === 'status'
      ? context.project.statuses.find((status) => status.key === key)?.category
      : undefined
  return withAllPriorities(groups, group).map(
    ({ key, numbers, count, estimate_seconds, time_spent_seconds }) => {
      const category = categoryOf(key)
      const visible = recent && category === 'completed' ? numbers.filter(recent) : numbers
      return {
        key,
        count,
        adding: false,
        label: getGroupLabel(context, group, key),
        // Canceled tasks take no space until their column is unfolded.
        folded: folded[key] ?? category === 'canceled',
        estimate: estimate_seconds,
        spent: time_spent_seconds,
        lines: toLines(visible.length < numbers.length ? visible : numbers),
      }
    },
  )
}

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']

/** The index has only priorities that some task has, but a board has a column for each. */
const withAllPriorities = (
  groups: readonly ProjectIndexGroup[],
  group: GroupBy,
): readonly ProjectIndexGroup[] =>
  group === 'priority'
    ? PRIORITIES.map((key) => groups.find((one) => one.key === key) ?? createEmptyIndexGroup(key))
    : groups

const linesByNumbers = new WeakMap<readonly number[], readonly NestedTask[]>()

function toLines(numbers: readonly number[]): readonly NestedTask[] {
  let lines = linesByNumbers.get(numbers)
  if (!lines) {
    lines = numbers.map((number) => ({ number, depth: 0 }))
    linesByNumbers.set(numbers, lines)
  }
  return lines
}
