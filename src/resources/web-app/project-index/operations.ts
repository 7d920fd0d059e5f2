import type { Operation, OperationInput, RecordLoader } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { addDays, dayIn, dayNumber, mondayOf } from '#lib/days.ts'
import { type Json, toJson } from '#lib/json.ts'
import { loadProject, loadProjectByIdOrPrefix } from '#resources/projects/load.ts'
import { readTaskFilters } from '#resources/tasks/filters/list-query.ts'
import type { TaskFilterValues } from '#resources/tasks/filters/task-filters.ts'
import { assertExternalIdPair } from '#resources/tasks/operations/list.ts'
import type { getProjectIndex, getProjectRows, ProjectTaskIndex } from './contract.ts'
import {
  type ExclusionFilters,
  type IndexSelection,
  selectBlockers,
  selectDates,
  selectGroups,
  selectSums,
  type TaskSort,
  type TaskSums,
  visibleTasksByNumber,
} from './store.ts'

type IndexedProject = Awaited<ReturnType<typeof loadProject>>
type ProjectIndexQuery = OperationInput<typeof getProjectIndex>['query']

export const loadProjectToIndex: RecordLoader<typeof getProjectIndex, IndexedProject> = (
  tx,
  { params, query },
) => {
  assertExternalIdPair(query)
  return loadProjectByIdOrPrefix(tx, params.id)
}

export const readProjectIndex: Operation<typeof getProjectIndex, IndexedProject> = async (
  tx,
  project,
  { query },
) => {
  // Read first: the client reloads whatever changes after this notice.
  const notice = await tx.newestChangeId()
  const { group = 'none', sort = 'position', due, rows: rowCount = 0, spans, ...filters } = query
  const { selection, values } = await readTaskFilters(tx, filters, project)
  const taskSelection = { ...selection, without: exclusionFlags(query), ...(due && { due }) }
  const params = { ...values, ...exclusionValues(tx, query) }
  const order = { sort: sort.replace('-', '') as TaskSort, descending: sort.startsWith('-') }
  const groups = await tx.all(selectGroups({ ...taskSelection, group, ...order }), params)
  const isMultiGroup = group === 'assignee' || group === 'tag'
  const sums = isMultiGroup ? await tx.one(selectSums(taskSelection), params) : sumGroups(groups)
  const sortedGroups = sortGroups(groups, group, JSON.parse(project.statuses) as { key: string }[])
  // The database returns the lists as JSON text, so 10,000 numbers are never parsed and serialized.
  const groupTexts = sortedGroups.map(
    ({ numbers, open: _, overdue: __, parents: ___, ...rest }) =>
      `${JSON.stringify(rest).slice(0, -1)},"numbers":${numbers}}`,
  )
  const tail = toJson({ parents: parentsOf(sortedGroups), notice }).slice(1)
  const first =
    rowCount > 0
      ? `"rows":[${await rowsText(tx, project, firstNumbers(sortedGroups, rowCount))}],`
      : ''
  const datesJson = spans
    ? toJson(await readDatesAndBlockers(tx, project, taskSelection, params)).slice(1, -1)
    : ''
  const { count: total, ...rest } = sums ?? NO_TASKS
  const head = toJson({ project_id: project.id, total, ...rest }).slice(0, -1)
  return `${head},"groups":[${groupTexts.join(',')}],${first}${datesJson && `${datesJson},`}${tail}` as Json<ProjectTaskIndex>
}

/**
 * Reads the blockers first, which takes longest: the dates and their conversion follow in another turn
 * of the event loop.
 */
async function readDatesAndBlockers(
  tx: ReadTx,
  { id }: IndexedProject,
  selection: IndexSelection,
  params: TaskFilterValues & ExclusionFilters,
) {
  const blockers = await tx.all(selectBlockers(selection), params)
  const links = blockers.filter((one) => one.project_id === id && one.deleted_at === null)
  return datesAndBlockers(await tx.all(selectDates(selection), params), links)
}

interface IndexedDates {
  number: number
  start_date: string | null
  due_date: string | null
}

/** Days are numbers, because 10,000 of them need half the space that texts need. */
function datesAndBlockers(
  own: readonly IndexedDates[],
  links: readonly (IndexedDates & { blocker: number; status_category: string })[],
) {
  const datesByNumber = new Map<number, (number | null)[]>()
  const add = (number: number, { start_date, due_date }: IndexedDates) =>
    datesByNumber.set(number, [
      number,
      ...[start_date, due_date].map((day) => (day === null ? null : dayNumber(day))),
    ])
  for (const link of links) if (link.start_date ?? link.due_date) add(link.blocker, link)
  for (const span of own) add(span.number, span)
  return {
    spans: [...datesByNumber.values()],
    blocks: links.map(({ blocker, number }) => [blocker, number]),
    finished: [...new Set(links.filter(isFinished).map(({ blocker }) => blocker))],
  }
}

const isFinished = ({ status_category }: { status_category: string }): boolean =>
  status_category === 'completed' || status_category === 'canceled'

/** The first task numbers across the groups, without parsing the thousands after them. */
function firstNumbers(groups: readonly IndexGroup[], count: number): number[] {
  const first = new Set<number>()
  for (const { numbers } of groups) {
    if (first.size >= count) break
    const some = numbers.slice(1, -1).split(',', count - first.size)
    for (const number of some) if (number !== '') first.add(Number(number))
  }
  return [...first]
}

interface IndexGroup extends TaskSums {
  key: string
  numbers: string
  parents: string | null
}

/** The number of the parent of each subtask, which may be in several groups. */
function parentsOf(groups: readonly IndexGroup[]): Record<string, number> {
  const parents: Record<string, number> = {}
  for (const { parents: pairs } of groups) {
    for (const [number, parent] of JSON.parse(pairs ?? '[]') as [number, number | null][])
      if (parent !== null) parents[number] = parent
  }
  return parents
}

const NO_TASKS = { count: 0, open: 0, overdue: 0, estimate_seconds: 0, time_spent_seconds: 0 }

/** The sums of all groups. Only correct if each task is in one group. */
const sumGroups = (groups: readonly IndexGroup[]): TaskSums =>
  groups.reduce<TaskSums>(
    (total, one) => ({
      count: total.count + one.count,
      open: total.open + one.open,
      overdue: total.overdue + one.overdue,
      estimate_seconds: total.estimate_seconds + one.estimate_seconds,
      time_spent_seconds: total.time_spent_seconds + one.time_spent_seconds,
    }),
    NO_TASKS,
  )

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']
const DUE_GROUPS = ['overdue', 'today', 'this_week', 'next_week', 'later', 'none']

/**
 * Groups with a fixed order are sorted by it, and every status gets a group; others stay as read.
 */
function sortGroups(
  groups: readonly IndexGroup[],
  by: string,
  statuses: { key: string }[],
): IndexGroup[] {
  const fixed = { status: statuses.map(({ key }) => key), priority: PRIORITIES, due: DUE_GROUPS }[
    by
  ]
  if (!fixed) return [...groups]
  const groupByKey = new Map(groups.map((group) => [group.key, group]))
  return fixed.flatMap((key) => groupByKey.get(key) ?? (by === 'status' ? [emptyGroup(key)] : []))
}

const emptyGroup = (key: string): IndexGroup => ({
  key,
  ...NO_TASKS,
  numbers: '[]',
  parents: null,
})

function exclusionFlags({ not_assignee_id, not_tag_id, not_created_by_id }: ProjectIndexQuery) {
  const some = (ids: readonly string[] | undefined) => ids?.some((id) => id !== 'none') === true
  const none = (ids: readonly string[] | undefined) => ids?.includes('none') === true
  return {
    ...(some(not_assignee_id) && { assignees: true }),
    ...(none(not_assignee_id) && { unassigned: true }),
    ...(some(not_tag_id) && { tags: true }),
    ...(none(not_tag_id) && { untagged: true }),
    ...(not_created_by_id && { creators: true }),
  }
}

/**
 * The values of the exclusion filters, and the days at which groups begin in the zone of the user.
 */
function exclusionValues(tx: ReadTx, query: ProjectIndexQuery): ExclusionFilters {
  const today = dayIn(tx.actor.timezone, tx.now)
  const monday = mondayOf(today)
  return {
    not_assignees: query.not_assignee_id ?? [],
    not_tags: query.not_tag_id ?? [],
    not_created_by: query.not_created_by_id ?? [],
    today,
    tomorrow: addDays(today, 1),
    next_week: addDays(monday, 7),
    later: addDays(monday, 14),
  }
}

export const loadProjectOfRows: RecordLoader<typeof getProjectRows, IndexedProject> = (
  tx,
  { params },
) => loadProject(tx, params.id)

export const readRows: Operation<typeof getProjectRows, IndexedProject> = async (
  tx,
  project,
  { query },
) => {
  const numbers = (query.numbers ?? []).map(Number)
  return `{"data":[${await rowsText(tx, project, numbers)}]}` as Json<{ data: [] }>
}

/** The JSON of tasks, in the order of the numbers. */
async function rowsText(tx: ReadTx, { id }: IndexedProject, numbers: number[]): Promise<string> {
  const tasks = await tx.all(visibleTasksByNumber, { project_id: id, numbers })
  const jsonByNumber = new Map(tasks.map(({ number, json }) => [number, json]))
  return numbers.flatMap((number) => jsonByNumber.get(number) ?? []).join(',')
}
