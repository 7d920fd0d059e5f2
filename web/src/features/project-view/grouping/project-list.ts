import { foldCase } from '#lib/fold-case.ts'
import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { hasSameItems } from '../../../lib/state/atom.ts'
import type { ListGroup, ListRules, ListView } from '../../../replica/list-view.ts'
import {
  getFilterRules,
  isCustomProperty,
  type PropertyFields,
  toFieldRank,
} from '../../property-definitions.ts'
import { compileFilter, type FilterContext } from '../filter/filter-query.ts'
import type { GroupBy, ProjectView } from '../project-view.ts'
import {
  createDayGrouping,
  createDueGrouping,
  createRangeGrouping,
  createSortValue,
  getGroupOrder,
  listPlannedDays,
} from './task-groups.ts'

/** The fields of a task that decide where a list shows it, and the sums. */
export type TaskSummary = PropertyFields &
  Pick<
    Task,
    | 'id'
    | 'project_id'
    | 'number'
    | 'title'
    | 'due_at'
    | 'position'
    | 'estimate_seconds'
    | 'time_spent_seconds'
  >

/** The tasks of a view: by group in order, with sums. */
export interface ProjectList {
  readonly total: number
  /** How many of these are not finished, and how many of those are past their due date. */
  readonly open: number
  readonly overdue: number
  readonly estimate_seconds: number
  readonly time_spent_seconds: number
  readonly groups: readonly ProjectListGroup[]
  /** The parent's id for each subtask in the list, by the subtask's id. */
  readonly parents: Readonly<Record<string, string>>
  /** Whether a task would be in the list without a filter. */
  readonly includes: (task: TaskSummary) => boolean
}

/** The task ids of one group in order, and the sums over all of them. */
export interface ProjectListGroup {
  readonly key: string
  readonly count: number
  readonly estimate_seconds: number
  /** What is left of the estimates of open tasks. */
  readonly remaining_seconds: number
  readonly time_spent_seconds: number
  readonly ids: readonly string[]
}

/** What the filter, the groups and their order depend on besides the tasks. */
export interface ListContext<T extends TaskSummary = Task> {
  /** Whether a task belongs to the page, whatever the filter of its view is. */
  includes: (task: TaskSummary) => boolean
  filterContext: FilterContext
  /** Also of former members. */
  nameOf: (user_id: string) => string | undefined
  /** Whether a task has the words of the filter; without it, every task does. */
  matches?: (task: T) => boolean
}

/** The value by which a task is sorted, and its id, which decides between equal values. */
export interface TaskSortKey {
  readonly value: string | number | null
  readonly id: string
}

/** Finds a task, also by the temporary id that an unsaved change may still name it by. */
type FindTask = (id: string) => Pick<Task, 'id' | 'number'> | undefined

/** How a `ListView` filters, groups, sorts and sums the tasks of a view. */
export function createListRules<T extends TaskSummary = Task>(
  {
    filter,
    group,
    sort,
    descending,
  }: Pick<ProjectView, 'filter' | 'group' | 'sort' | 'descending'>,
  { includes, filterContext, nameOf, matches }: ListContext<T>,
): ListRules<T, TaskSortKey> {
  const { today } = filterContext
  const isIncluded = compileFilter(filter, filterContext, matches)
  const groupKeysOf = createGrouping(group, today)
  const sortValueOf = createSortValue(sort, { ...filterContext, nameOf })
  const sign = descending ? -1 : 1
  return {
    place(task) {
      if (!includes(task) || !isIncluded(task)) return undefined
      const isOpen = !isTaskFinished(task)
      const isOverdue = isOpen && task.due_date !== null && task.due_date < today
      return {
        groupKeys: groupKeysOf(task),
        sortKey: { value: sortValueOf(task), id: task.id },
        amounts: [
          Number(isOpen),
          Number(isOverdue),
          task.estimate_seconds ?? 0,
          task.time_spent_seconds,
          isOpen ? Math.max(0, (task.estimate_seconds ?? 0) - task.time_spent_seconds) : 0,
        ],
      }
    },
    // Missing values come last in both directions.
    compareSortKeys(a, b) {
      const x = a.value
      const y = b.value
      if (x !== y) {
        if (x === null) return 1
        if (y === null) return -1
        return x < y ? -sign : sign
      }
      if (a.id === b.id) return 0
      return a.id < b.id ? -sign : sign
    },
  }
}

/** The keys of a task's groups in the `ListView`. That of a parent is its id until it is shown. */
function createGrouping(group: GroupBy, today: string): (task: TaskSummary) => readonly string[] {
  if (group === 'none') return () => ALL
  const { keysOf, range } = getFilterRules(group) ?? {}
  if (keysOf) return keysOf
  if (range && group !== 'due') {
    const groupOf = createRangeGrouping(range, today)
    return (task) => [groupOf(task)]
  }
  const groupOf = group === 'day' ? createDayGrouping(today) : createDueGrouping(today)
  return (task) => [groupOf(task)]
}

const ALL: readonly string[] = ['all']

/** A group of a `ListView` as the list shows it. */
interface ConvertedGroup {
  readonly group: ProjectListGroup
  readonly subtasks: readonly Subtask[]
}

interface Subtask {
  readonly id: string
  readonly parent_id: string
}

/** The list that was last made of a view, and of what. */
interface ListSnapshot {
  readonly list: ProjectList
  readonly converted: ReadonlyMap<object, ConvertedGroup>
}

const latestOfViews = new WeakMap<object, ListSnapshot>()

/**
 * The groups of a view in order, with the ids of their tasks. The list stays the same object
 * while nothing in it changes, and so do its groups, so that what shows them need not be rendered again.
 */
export function toProjectList<T extends TaskSummary = Task>(
  view: ListView<T, TaskSortKey>,
  { group }: Pick<ProjectView, 'group'>,
  context: Pick<ListContext<T>, 'filterContext' | 'nameOf' | 'includes'>,
  findTask: FindTask,
): ProjectList {
  const latest = latestOfViews.get(view)
  const converted = new Map<object, ConvertedGroup>()
  const groups = new Map<string, ProjectListGroup>()
  const parents: Record<string, string> = {}
  for (const [viewKey, viewGroup] of view.groups) {
    // Subtasks stand with the tasks that have no parent until theirs is loaded.
    const key =
      group === 'parent' && viewKey !== 'none' ? (findTask(viewKey)?.id ?? 'none') : viewKey
    const known = latest?.converted.get(viewGroup)
    const one = known?.group.key === key ? known : convertGroup(key, viewGroup)
    converted.set(viewGroup, one)
    const other = groups.get(key)
    groups.set(key, other ? joinGroups(other, one.group) : one.group)
    for (const { id, parent_id } of one.subtasks) {
      const parent = findTask(parent_id)
      if (parent) parents[id] = parent.id
    }
  }
  const [open = 0, overdue = 0, estimate_seconds = 0, time_spent_seconds = 0] = view.sums
  const sums = { total: view.total, open, overdue, estimate_seconds, time_spent_seconds }
  const sorted = sortGroups(groups, group, context, findTask).map((one, at) => {
    const former = latest?.list.groups[at]
    return former && isSameGroup(former, one) ? former : one
  })
  const made = { ...sums, groups: sorted, parents, includes: context.includes }
  const list = latest && isSameList(latest.list, made) ? latest.list : made
  latestOfViews.set(view, { list, converted })
  return list
}

const isSameList = (
  { groups, parents, ...sums }: ProjectList,
  { groups: groupsNow, parents: parentsNow, ...sumsNow }: ProjectList,
): boolean =>
  hasSameItems(groups, groupsNow) &&
  hasSameItems(Object.values(sums), Object.values(sumsNow)) &&
  Object.keys(parents).length === Object.keys(parentsNow).length &&
  Object.entries(parentsNow).every(([id, parent_id]) => parents[id] === parent_id)

const isSameGroup = (
  { ids, ...sums }: ProjectListGroup,
  { ids: idsNow, ...sumsNow }: ProjectListGroup,
): boolean => hasSameItems(Object.values(sums), Object.values(sumsNow)) && hasSameItems(ids, idsNow)

function convertGroup<T extends TaskSummary>(
  key: string,
  {
    rows,
    sums: [, , estimate_seconds = 0, time_spent_seconds = 0, remaining_seconds = 0],
  }: ListGroup<T>,
): ConvertedGroup {
  const ids: string[] = []
  const subtasks: Subtask[] = []
  for (const { id, parent_id } of rows) {
    ids.push(id)
    if (parent_id !== null) subtasks.push({ id, parent_id })
  }
  return {
    group: {
      ...{ key, count: rows.length, ids },
      ...{ estimate_seconds, remaining_seconds, time_spent_seconds },
    },
    subtasks,
  }
}

const joinGroups = (a: ProjectListGroup, b: ProjectListGroup): ProjectListGroup => ({
  key: a.key,
  count: a.count + b.count,
  estimate_seconds: a.estimate_seconds + b.estimate_seconds,
  remaining_seconds: a.remaining_seconds + b.remaining_seconds,
  time_spent_seconds: a.time_spent_seconds + b.time_spent_seconds,
  ids: [...a.ids, ...b.ids],
})

/**
 * Every status has a group, in the order of the project. Groups of people and tags are in the order
 * of their folded names, those of parents by number.
 */
function sortGroups(
  groups: ReadonlyMap<string, ProjectListGroup>,
  by: GroupBy,
  { filterContext, nameOf }: Pick<ListContext<never>, 'filterContext' | 'nameOf'>,
  findTask: FindTask,
): readonly ProjectListGroup[] {
  if (by === 'status')
    return filterContext.statuses.map(({ key }) => groups.get(key) ?? createEmptyGroup(key))
  const { today } = filterContext
  const order = getGroupOrder(by, today)
  const planned = by === 'day' ? listPlannedDays(today) : []
  if (order)
    return order.flatMap(
      (key) => groups.get(key) ?? (planned.includes(key) ? createEmptyGroup(key) : []),
    )
  const tagNames = new Map(by === 'tag' ? filterContext.tags.map(({ id, name }) => [id, name]) : [])
  const rankOf = (key: string): string | number | undefined => {
    if (key === 'none') return undefined
    if (by === 'parent') return findTask(key)?.number
    if (isCustomProperty(by)) return toFieldRank(key)
    const name =
      by === 'assignee' || by === 'creator'
        ? nameOf(key)
        : by === 'project'
          ? filterContext.projects.find(({ id }) => id === key)?.name
          : tagNames.get(key)
    return name === undefined ? undefined : foldCase(name)
  }
  return [...groups.values()]
    .map((group) => ({ group, rank: rankOf(group.key) }))
    .sort((a, b) => {
      if (a.rank === b.rank) return a.group.key < b.group.key ? -1 : 1
      if (a.rank === undefined) return 1
      if (b.rank === undefined) return -1
      return a.rank < b.rank ? -1 : 1
    })
    .map(({ group }) => group)
}

export const createEmptyGroup = (key: string): ProjectListGroup => ({
  key,
  count: 0,
  estimate_seconds: 0,
  remaining_seconds: 0,
  time_spent_seconds: 0,
  ids: [],
})
