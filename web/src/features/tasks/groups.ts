import type { Task, TaskPatch } from '../../data/task-view.ts'
import { addDays, type PlainDate, startOfWeek } from '../../lib/day.ts'
import type { GroupBy, SortBy, View } from './view.ts'

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** The keys of the groups in which a task stands, as the index names them. */
export function keysOf(
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
  if (group === 'due') return [dueGroup(task.due_date, today)]
  if (group === 'parent') return [String(numberOf(task.parent_id ?? '') ?? 'none')]
  return ['all']
}

export function dueGroup(due: PlainDate | null, today: PlainDate): string {
  if (due === null) return 'none'
  if (due < today) return 'overdue'
  if (due === today) return 'today'
  const monday = startOfWeek(today, 1)
  if (due < addDays(monday, 7)) return 'this_week'
  return due < addDays(monday, 14) ? 'next_week' : 'later'
}

/**
 * What makes a task stand in a group: also what a new one of the group is born with. Undefined where that is no
 * single value: nobody knows on which day of next week.
 */
function patchInto(
  group: GroupBy,
  key: string,
  today: PlainDate,
  from?: { task: Task; key: string },
): TaskPatch | undefined {
  const swapped = (ids: readonly string[]) => {
    const rest = ids.filter((id) => id !== from?.key && id !== key)
    return key === 'none' ? [] : [...rest, key].toSorted()
  }
  if (group === 'status') return { status: key }
  if (group === 'priority') return { priority: PRIORITIES.find((one) => one === key) ?? 'none' }
  if (group === 'assignee') return { assignee_ids: swapped(from?.task.assignee_ids ?? []) }
  if (group === 'tag') return { tag_ids: swapped(from?.task.tag_ids ?? []) }
  if (group === 'due') {
    return key === 'today' ? { due_date: today } : key === 'none' ? { due_date: null } : undefined
  }
  return group === 'none' ? {} : undefined
}

/** A cell of a board with lanes is named by its column and its lane. What is empty or missing stays as it is. */
export const partsOfCell = (key: string) => {
  const [column = '', lane] = key.split('/')
  return { column, lane }
}

/** The name of a cell, or of a column where a board has no lanes. */
export const cellOf = ({ column, lane }: ReturnType<typeof partsOfCell>): string =>
  lane === undefined ? column : `${column}/${lane}`

/** What makes a task stand in a group, or in a cell of a board with lanes; it leaves out what is so already. */
export function patchTo(
  { group, lanes }: Pick<View, 'group' | 'lanes'>,
  key: string,
  today: PlainDate,
  from?: { task: Task; key: string },
): TaskPatch | undefined {
  const { column, lane } = partsOfCell(key)
  const before = from && partsOfCell(from.key)
  const into =
    column === '' || column === before?.column
      ? {}
      : patchInto(group, column, today, from && { task: from.task, key: before?.column ?? '' })
  const isSame = lane === undefined || lane === before?.lane
  return into && { ...into, ...(!isSame && acrossTo(lanes, lane, today)) }
}

/** Who shares tasks has a lane with the others: so a task stands in one, and is moved as a whole. */
const acrossTo = (lanes: View['lanes'], key: string, today: PlainDate): TaskPatch | undefined =>
  lanes === 'assignee'
    ? { assignee_ids: key === 'none' ? [] : key.split(',') }
    : patchInto(lanes, key, today)

/** Which of two tasks comes first; ties by id, nothing last, as the API sorts (contract 3.3). */
export function compareBy(sort: SortBy, descending: boolean, a: Task, b: Task): number {
  const [x, y] = [sortValue(a, sort), sortValue(b, sort)]
  if (x === null || y === null) {
    if (x !== y) return x === null ? 1 : -1
  } else if (x !== y) return x < y === descending ? 1 : -1
  return a.id < b.id === descending ? 1 : -1
}

function sortValue(task: Task, sort: SortBy): string | number | null {
  if (sort === 'priority') return PRIORITIES.indexOf(task.priority)
  if (sort === 'title') return task.title.normalize('NFC').toLowerCase()
  return task[sort]
}
