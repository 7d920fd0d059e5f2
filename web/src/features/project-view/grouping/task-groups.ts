import { foldCase, NOT_ASCII } from '#lib/fold-case.ts'
import { getDueDay } from '../../../data/tasks/due-day.ts'
import { isTaskFinished, type Task, type TaskPatch } from '../../../data/tasks/task-patch.ts'
import {
  addDaysToDate,
  isPlainDate,
  type PlainDate,
  startOfWeek,
  toPlainDate,
} from '../../../lib/dates/plain-date.ts'
import {
  getFilterRules,
  PRIORITY_VALUES,
  type PropertyFields,
  type RangeRules,
  type SortBy,
} from '../../property-definitions.ts'
import type { FilterContext } from '../filter/filter-query.ts'
import type { GroupBy, ProjectView } from '../project-view.ts'

/** The key of the group of tasks without a value, or of all tasks if they are not grouped. */
export const getEmptyGroupKey = (group: GroupBy): string => (group === 'none' ? 'all' : 'none')

/** A function that returns the key of the group of a task by its due date. What is finished is not overdue. */
export function createDueGrouping(
  today: PlainDate,
): (task: Pick<Task, 'due_date' | 'status_category'>) => string {
  const nextMonday = addDaysToDate(startOfWeek(today, 1), 7)
  const later = addDaysToDate(nextMonday, 7)
  return (task) => {
    const due = task.due_date
    if (due === null) return 'none'
    if (due < today) return isTaskFinished(task) ? 'earlier' : 'overdue'
    if (due === today) return 'today'
    if (due < nextMonday) return 'this_week'
    return due < later ? 'next_week' : 'later'
  }
}

/** How many days from today on have groups of their own, for planning. */
const PLANNED_DAYS = 7

/** A function that returns the key of a task's group by its due day: a day of the coming week, or what is around it. */
export function createDayGrouping(
  today: PlainDate,
): (task: Pick<Task, 'due_date' | 'due_at' | 'status_category'>) => string {
  const end = addDaysToDate(today, PLANNED_DAYS)
  return (task) => {
    const due = getDueDay(task)
    if (due === null) return 'none'
    if (due < today) return isTaskFinished(task) ? 'earlier' : 'overdue'
    return due < end ? due : 'later'
  }
}

const AGE_DAYS = { today: 1, week: 7, month: 30 } as const
const DURATION_HOURS = { hour: 1, half_day: 4, day: 8 } as const

/** A function that returns the key of the group of a task by a day, a point in the past or an amount. */
export function createRangeGrouping(
  { type, getValue }: RangeRules,
  today: PlainDate,
): (task: PropertyFields) => string {
  const byDay = createDueGrouping(today)
  const limits = Object.entries(type === 'age' ? AGE_DAYS : DURATION_HOURS)
  return (task) => {
    const value = getValue(task)
    if (value === null) return 'none'
    if (type === 'day') {
      const key = byDay({ due_date: String(value), status_category: task.status_category })
      return key === 'overdue' ? 'earlier' : key
    }
    // An instant counts on the day that it has where the viewer is.
    const day = type === 'age' ? toPlainDate(String(value)) : ''
    const isWithin = ([, limit]: [string, number]) =>
      type === 'age' ? day > addDaysToDate(today, -limit) : Number(value) <= limit * 3_600
    return limits.find(isWithin)?.[0] ?? (type === 'age' ? 'older' : 'more')
  }
}

/** The days that have a group each, also without tasks. */
export const listPlannedDays = (today: PlainDate): readonly PlainDate[] =>
  Array.from({ length: PLANNED_DAYS }, (_, at) => addDaysToDate(today, at))

/** The order of groups that have a fixed one; statuses are in that of the project. */
export function getGroupOrder(group: GroupBy, today: PlainDate): readonly string[] | undefined {
  if (group === 'day') return ['overdue', ...listPlannedDays(today), 'later', 'earlier', 'none']
  const { values, range } = getFilterRules(group) ?? {}
  const type = range?.type
  if (values) return values
  if (type === 'day')
    return ['overdue', 'today', 'this_week', 'next_week', 'later', 'earlier', 'none']
  if (type === 'age') return [...Object.keys(AGE_DAYS), 'older', 'none']
  return type && [...Object.keys(DURATION_HOURS), 'more', 'none']
}

/**
 * The patch that puts a task into a group; a new task of the group starts with the same values.
 * Undefined if the group is not a single value: "next week" does not say which day.
 */
function patchForKey(
  group: GroupBy,
  key: string,
  today: PlainDate,
  from?: { task: Task; key: string },
): TaskPatch | undefined {
  const replaceId = (ids: readonly string[]) => {
    const rest = ids.filter((id) => id !== from?.key && id !== key)
    return key === 'none' ? [] : [...rest, key].toSorted()
  }
  if (group === 'status') return { status: key }
  if (group === 'priority') {
    const priority = PRIORITY_VALUES.find((one) => one === key)
    return priority && { priority }
  }
  if (group === 'assignee') return { assignee_ids: replaceId(from?.task.assignee_ids ?? []) }
  if (group === 'tag') return { tag_ids: replaceId(from?.task.tag_ids ?? []) }
  if (group === 'due') {
    return key === 'today' ? { due_date: today } : key === 'none' ? { due_date: null } : undefined
  }
  if (group === 'day')
    return isPlainDate(key) ? { due_date: key } : key === 'none' ? { due_date: null } : undefined
  if (group === 'start' && key === 'today') return { start_date: today }
  if (group === 'start' && key === 'none') return { start_date: null }
  if (group === 'estimate' && key === 'none') return { estimate_seconds: null }
  return group === 'none' ? {} : undefined
}

/**
 * Splits the key of a board cell, `column/lane`. A part that is empty or missing means "unchanged".
 */
export const parseCellKey = (key: string) => {
  const [column = '', lane] = key.split('/')
  return { column, lane }
}

/** The key of a cell, or of a column if the board has no lanes. */
export const formatCellKey = ({ column, lane }: ReturnType<typeof parseCellKey>): string =>
  lane === undefined ? column : `${column}/${lane}`

/** The patch that moves a task into a group or board cell, without the values it has already. */
export function patchIntoGroup(
  { group, lanes }: Pick<ProjectView, 'group' | 'lanes'>,
  key: string,
  today: PlainDate,
  from?: { task: Task; key: string },
): TaskPatch | undefined {
  const { column, lane } = parseCellKey(key)
  const before = from && parseCellKey(from.key)
  const columnPatch =
    column === '' || column === before?.column
      ? {}
      : patchForKey(group, column, today, from && { task: from.task, key: before?.column ?? '' })
  const isSameLane = lane === undefined || lane === before?.lane
  return columnPatch && { ...columnPatch, ...(!isSameLane && patchForLane(lanes, lane, today)) }
}

/**
 * Each combination of assignees is one lane, so a task is in one lane only and all its assignees
 * change at once.
 */
const patchForLane = (
  lanes: ProjectView['lanes'],
  key: string,
  today: PlainDate,
): TaskPatch | undefined =>
  lanes === 'assignee'
    ? { assignee_ids: key === 'none' ? [] : key.split(',') }
    : patchForKey(lanes, key, today)

/** What the order of tasks depends on besides them. */
interface SortNames extends Pick<FilterContext, 'statuses' | 'tags' | 'projects'> {
  nameOf: (user_id: string) => string | undefined
}

/** A function that returns the value by which a task is sorted; null if it has none. */
export function createSortValue(
  sort: SortBy,
  { statuses, tags, projects, nameOf }: SortNames,
): (task: Pick<Task, ApiSort> & PropertyFields) => string | number | null {
  const firstName = (ids: readonly string[], getName: (id: string) => string | undefined) => {
    const names = ids.map((id) => foldCase(getName(id) ?? '')).sort()
    return names[0] ?? null
  }
  const nameIn = (all: readonly { id: string; name: string }[]) => {
    const names = new Map(all.map(({ id, name }) => [id, name]))
    return (id: string) => names.get(id)
  }
  switch (sort) {
    case 'priority':
      return ({ priority }) => -PRIORITY_VALUES.indexOf(priority)
    case 'title':
      return ({ title }) => foldTitle(title)
    case 'status': {
      const ranks = new Map(statuses.map(({ key }, at) => [key, at]))
      return ({ status }) => ranks.get(status) ?? null
    }
    case 'assignee':
      return ({ assignee_ids }) => firstName(assignee_ids, nameOf)
    case 'tag': {
      const getName = nameIn(tags)
      return ({ tag_ids }) => firstName(tag_ids, getName)
    }
    case 'project': {
      const getName = nameIn(projects)
      return ({ project_id }) => firstName([project_id], getName)
    }
    case 'position':
    case 'number':
    case 'due_date':
    case 'created_at':
    case 'updated_at':
      return (task) => task[sort]
    default: {
      const { range, getSortValue } = getFilterRules(sort) ?? {}
      return getSortValue ?? range?.getValue ?? (() => null)
    }
  }
}

type ApiSort =
  | 'position'
  | 'priority'
  | 'due_date'
  | 'created_at'
  | 'updated_at'
  | 'title'
  | 'number'

/** As the server does it: only A to Z are folded. */
const foldTitle = (title: string): string =>
  NOT_ASCII.test(title)
    ? title.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : title.toLowerCase()
