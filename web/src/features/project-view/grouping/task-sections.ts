import { getStatusName } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { formatDay, isPlainDate, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import {
  formatFieldText,
  getFilterRules,
  getFixedLabels,
  getPropertyName,
  isCustomProperty,
  isFixedProperty,
} from '../../property-definitions.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { GroupBy, ProjectView } from '../project-view.ts'
import { type NestedTask, nestSubtasks } from './nest-subtasks.ts'
import { createEmptyGroup, type ProjectList } from './project-list.ts'
import { getEmptyGroupKey, getGroupOrder, listPlannedDays, parseCellKey } from './task-groups.ts'

/** The label of a group. */
export function getGroupLabel(
  { statuses, projects, nameOf, tagOf, filterContext }: ProjectPageContext,
  group: GroupBy,
  key: string,
): string {
  if (group === 'status') return getStatusName({ statuses }, key)
  if (group === 'due')
    return projectViewMessages.dueGroups[key as keyof typeof projectViewMessages.dueGroups] ?? key
  if (group === 'assignee' || group === 'creator')
    return key === 'none' ? projectViewMessages.nobody : nameOf(key)
  if (group === 'tag')
    return key === 'none'
      ? projectViewMessages.noTag
      : (tagOf(key)?.name ?? projectViewMessages.unknown)
  if (group === 'parent') {
    if (key === 'none') return projectViewMessages.noParent
    const parent = getCachedTask(key)
    return parent ? `${parent.short_id} ${parent.title}` : projectViewMessages.unknown
  }
  if (isFixedProperty(group)) {
    const label = getFixedLabels(group)[key] ?? key
    return group === 'blocked' ? `${getPropertyName(group)}: ${label}` : label
  }
  if (group === 'day') return formatPlannedDay(key, filterContext.today)
  if (group === 'project') return projects.get(key)?.name ?? projectViewMessages.unknown
  const type = getFilterRules(group)?.range?.type
  if (key === 'none' && (type || isCustomProperty(group)))
    return projectViewMessages.without(getPropertyName(group))
  if (isCustomProperty(group)) return `${getPropertyName(group)}: ${formatFieldText(key)}`
  if (type === 'day')
    return projectViewMessages.dueGroups[key as keyof typeof projectViewMessages.dueGroups]
  if (type === 'age')
    return projectViewMessages.ageGroups[key as keyof typeof projectViewMessages.ageGroups]
  if (type)
    return projectViewMessages.durationGroups[
      key as keyof typeof projectViewMessages.durationGroups
    ]
  return projectViewMessages.everything
}

/** The name of a day of the plan, as "Today" or "Wed 2 Dec", or of what is around it. */
function formatPlannedDay(key: string, today: PlainDate): string {
  if (key === today) return projectViewMessages.dueGroups.today
  return isPlainDate(key)
    ? formatDay(key)
    : (projectViewMessages.dueGroups[key as keyof typeof projectViewMessages.dueGroups] ?? key)
}

/** The label of a board lane. */
export const getLaneLabel = (
  context: ProjectPageContext,
  lanes: ProjectView['lanes'],
  key: string,
): string =>
  key
    .split(',')
    .map((one) => getGroupLabel(context, lanes, one))
    .toSorted((a, b) => a.localeCompare(b))
    .join(', ')

/** The label of a board column, or of a cell if the board has lanes. */
export function getCellLabel(
  context: ProjectPageContext,
  { group, lanes }: Pick<ProjectView, 'group' | 'lanes'>,
  key: string,
): string {
  const { column, lane } = parseCellKey(key)
  const laneText = lane === undefined ? '' : getLaneLabel(context, lanes, lane)
  const label = column && getGroupLabel(context, group, column)
  return label && laneText ? projectViewMessages.across(label, laneText) : label || laneText
}

/** The sections of all groups that have tasks or in which a new task is being typed. */
export function buildSections(
  context: ProjectPageContext,
  group: GroupBy,
  { groups, parents }: ProjectList,
  folded: ReadonlySet<string>,
  adding: string | undefined,
): TaskSection[] {
  // A project is chosen for a new task whether it has tasks here or not.
  const mayBegin =
    adding === getEmptyGroupKey(group) ||
    (group === 'project' && adding !== undefined && context.projects.has(adding))
  const isMissing = mayBegin && !groups.some(({ key }) => key === adding)
  const shownGroups = isMissing ? [...groups, createEmptyGroup(adding)] : groups
  const { today } = context.filterContext
  const planned = group === 'day' ? listPlannedDays(today) : []
  return sortGroups(shownGroups, group, today)
    .filter(({ key, ids }) => ids.length > 0 || key === adding || planned.includes(key))
    .map(({ key, ids, count, estimate_seconds, remaining_seconds, time_spent_seconds }) => ({
      key,
      count,
      folded: folded.has(key),
      adding: key === adding,
      label: getGroupLabel(context, group, key),
      estimate: estimate_seconds,
      remaining: remaining_seconds,
      spent: time_spent_seconds,
      lines: nestCached(ids, parents),
    }))
}

/** Puts groups that were added locally in their place, and "none" after names. */
function sortGroups(
  groups: ProjectList['groups'],
  group: GroupBy,
  today: PlainDate,
): ProjectList['groups'] {
  const order = getGroupOrder(group, today) ?? []
  const rank = (key: string) => (order.length > 0 ? order.indexOf(key) : Number(key === 'none'))
  return group === 'status' ? groups : groups.toSorted((a, b) => rank(a.key) - rank(b.key))
}

const nestedLines = new WeakMap<
  readonly string[],
  { parents: unknown; lines: readonly NestedTask[] }
>()

/** Reuses the previous result for groups that have not changed. */
function nestCached(
  ids: readonly string[],
  parents: ProjectList['parents'],
): readonly NestedTask[] {
  const previous = nestedLines.get(ids)
  if (previous?.parents === parents) return previous.lines
  const lines = nestSubtasks(ids, parents)
  nestedLines.set(ids, { parents, lines })
  return lines
}
