import type { ProjectIndex } from '../../data/project-index.ts'
import { idOfNumber, taskOf } from '../../data/task-store.ts'
import { m } from '../../messages/tasks.ts'
import { partsOfCell } from './groups.ts'
import type { Section } from './layout.ts'
import { arrange, type Line } from './placement.ts'
import type { Screen } from './screen.ts'
import type { GroupBy, View } from './view.ts'

/** What a group is called. */
export function labelOf({ project, nameOf, tagOf }: Screen, group: GroupBy, key: string): string {
  if (group === 'status') return project.statuses.find((one) => one.key === key)?.name ?? key
  if (group === 'priority') return m.priorities[key as keyof typeof m.priorities] ?? key
  if (group === 'due') return m.dueGroups[key as keyof typeof m.dueGroups] ?? key
  if (group === 'assignee') return key === 'none' ? m.nobody : nameOf(key)
  if (group === 'tag') return key === 'none' ? m.noTag : (tagOf(key)?.name ?? m.unknown)
  if (group === 'parent') {
    if (key === 'none') return m.noParent
    const short_id = `${project.prefix}-${key}`
    const title = taskOf(idOfNumber(project.id, Number(key)) ?? '')?.title
    return title ? `${short_id} ${title}` : short_id
  }
  return m.everything
}

/** What a lane of a board is called. */
export const laneLabel = (screen: Screen, lanes: View['lanes'], key: string): string =>
  key
    .split(',')
    .map((one) => labelOf(screen, lanes, one))
    .toSorted((a, b) => a.localeCompare(b))
    .join(', ')

/** What a column of a board is called, or a cell where it has lanes. */
export function cellLabel(
  screen: Screen,
  { group, lanes }: Pick<View, 'group' | 'lanes'>,
  key: string,
): string {
  const { column, lane } = partsOfCell(key)
  const across = lane === undefined ? '' : laneLabel(screen, lanes, lane)
  const label = column && labelOf(screen, group, column)
  return label && across ? m.across(label, across) : label || across
}

/** Groups that have tasks, or get one now, as they are shown. */
export function sectionsOf(
  screen: Screen,
  group: GroupBy,
  { groups, parents }: ProjectIndex,
  folded: ReadonlySet<string>,
  adding: string | undefined,
): Section[] {
  return inOrder(groups, group)
    .filter(({ key, numbers }) => numbers.length > 0 || key === adding)
    .map(({ key, numbers, count, estimate_seconds, time_spent_seconds }) => ({
      ...{ key, count, folded: folded.has(key), adding: key === adding },
      label: labelOf(screen, group, key),
      estimate: estimate_seconds,
      spent: time_spent_seconds,
      lines: arranged(numbers, parents),
    }))
}

const ORDER: Partial<Record<GroupBy, readonly string[]>> = {
  priority: ['urgent', 'high', 'medium', 'low', 'none'],
  due: ['overdue', 'today', 'this_week', 'next_week', 'later', 'none'],
}

/** A group that was made here stands among the others, and "none" after names. */
function inOrder(groups: ProjectIndex['groups'], group: GroupBy): ProjectIndex['groups'] {
  const order = ORDER[group] ?? []
  const rank = (key: string) => (order.length > 0 ? order.indexOf(key) : Number(key === 'none'))
  return group === 'status' ? groups : groups.toSorted((a, b) => rank(a.key) - rank(b.key))
}

const kept = new WeakMap<readonly number[], { parents: unknown; lines: readonly Line[] }>()

/** Groups that have not changed are not arranged again. */
function arranged(numbers: readonly number[], parents: ProjectIndex['parents']): readonly Line[] {
  const before = kept.get(numbers)
  if (before?.parents === parents) return before.lines
  const lines = arrange(numbers, parents)
  kept.set(numbers, { parents, lines })
  return lines
}
