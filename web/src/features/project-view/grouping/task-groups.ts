import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import { addDaysToDate, type PlainDate, startOfWeek } from '../../../lib/dates/plain-date.ts'
import type { GroupBy, ProjectView, SortBy } from '../project-view.ts'

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** The keys of the groups that contain a task, as the server's index names them. */
export function getGroupKeys(
  task: Task,
  group: GroupBy,
  today: PlainDate,
  numberOf: (id: string) => number | undefined,
): readonly string[] {
  const orNone = (ids: readonly string[]) => (ids.length > 0 ? ids : ['none'])
  if (group === 'status') return [task.status]
  if (group === 'priority') return [task.priority]
  if (group === 'assignee') return orNone(task.assignee_ids)
  if (group === 'tag') return orNone(task.tag_ids)
  if (group === 'due') return [getDueGroup(task.due_date, today)]
  if (group === 'parent') return [String(numberOf(task.parent_id ?? '') ?? 'none')]
  return ['all']
}

/** The key of the group of tasks without a value, or of all tasks if they are not grouped. */
export const getEmptyGroupKey = (group: GroupBy): string => (group === 'none' ? 'all' : 'none')

export function getDueGroup(due: PlainDate | null, today: PlainDate): string {
  if (due === null) return 'none'
  if (due < today) return 'overdue'
  if (due === today) return 'today'
  const monday = startOfWeek(today, 1)
  if (due < addDaysToDate(monday, 7)) return 'this_week'
  return due < addDaysToDate(monday, 14) ? 'next_week' : 'later'
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
    const priority = PRIORITIES.find((one) => one === key)
    return priority && { priority }
  }
  if (group === 'assignee') return { assignee_ids: replaceId(from?.task.assignee_ids ?? []) }
  if (group === 'tag') return { tag_ids: replaceId(from?.task.tag_ids ?? []) }
  if (group === 'due') {
    return key === 'today' ? { due_date: today } : key === 'none' ? { due_date: null } : undefined
  }
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

/** Sort order of two tasks, as the API sorts: ties by id, missing values last (docs/spec/api.md#sorting-and-filters). */
export function compareTasks(sort: SortBy, descending: boolean, a: Task, b: Task): number {
  const [x, y] = [getSortValue(a, sort), getSortValue(b, sort)]
  if (x === null || y === null) {
    if (x !== y) return x === null ? 1 : -1
  } else if (x !== y) return x < y === descending ? 1 : -1
  return a.id < b.id === descending ? 1 : -1
}

/** The value by which a task is sorted; null if it has none. */
export function getSortValue(task: Task, sort: SortBy): string | number | null {
  if (sort === 'priority') return PRIORITIES.indexOf(task.priority)
  // As the server does it: only A to Z are folded.
  if (sort === 'title') return task.title.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return task[sort]
}
