import { DAY_MS } from '#lib/durations.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { PRIORITY_VALUES } from '../../property-definitions.ts'
import { type FilterContext, toFilterQuery } from '../filter/filter-query.ts'
import type { NestedTask } from '../grouping/nest-subtasks.ts'
import {
  createEmptyGroup,
  type ProjectList,
  type ProjectListGroup,
} from '../grouping/project-list.ts'
import { getGroupLabel } from '../grouping/task-sections.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { GroupBy, ProjectView } from '../project-view.ts'

/**
 * The columns of a board: every group, even if it is empty. Completed tasks are reduced to those
 * that pass `recent`.
 */
export function buildBoardColumns(
  context: ProjectPageContext,
  group: GroupBy,
  { groups }: Pick<ProjectList, 'groups'>,
  folded: Readonly<Record<string, boolean>>,
  recent: ((id: string) => boolean) | undefined,
): TaskSection[] {
  const categoryOf = (key: string) =>
    group === 'status' ? context.statuses.find((status) => status.key === key)?.category : undefined
  return withAllPriorities(groups, group).map(
    ({ key, ids, count, estimate_seconds, remaining_seconds, time_spent_seconds }) => {
      const category = categoryOf(key)
      const visible = recent && category === 'completed' ? ids.filter(recent) : ids
      return {
        key,
        count,
        adding: false,
        label: getGroupLabel(context, group, key),
        // Canceled tasks take no space until their column is unfolded.
        folded: folded[key] ?? category === 'canceled',
        estimate: estimate_seconds,
        remaining: remaining_seconds,
        spent: time_spent_seconds,
        lines: toLines(visible.length < ids.length ? visible : ids),
      }
    },
  )
}

const RECENT_DAYS = 14

/**
 * A test for tasks that were completed in the last 14 days. Undefined if the columns of a view show
 * older ones as well: they are no statuses, or its filter names the statuses that it shows.
 */
export function createRecentlyCompletedTest(
  { group, filter }: Pick<ProjectView, 'group' | 'filter'>,
  filterContext: FilterContext,
  taskOf: (id: string) => Pick<Task, 'completed_at'> | undefined,
): ((id: string) => boolean) | undefined {
  if (group !== 'status' || toFilterQuery(filter, filterContext).api.status !== undefined)
    return undefined
  const after = new Date(filterContext.now() - RECENT_DAYS * DAY_MS).toISOString()
  return (id) => (taskOf(id)?.completed_at ?? '') >= after
}

/** The list has only priorities that some task has, but a board has a column for each. */
const withAllPriorities = (
  groups: readonly ProjectListGroup[],
  group: GroupBy,
): readonly ProjectListGroup[] =>
  group === 'priority'
    ? PRIORITY_VALUES.map((key) => groups.find((one) => one.key === key) ?? createEmptyGroup(key))
    : groups

const linesByIds = new WeakMap<readonly string[], readonly NestedTask[]>()

function toLines(ids: readonly string[]): readonly NestedTask[] {
  let lines = linesByIds.get(ids)
  if (!lines) {
    lines = ids.map((id) => ({ id, depth: 0 }))
    linesByIds.set(ids, lines)
  }
  return lines
}
