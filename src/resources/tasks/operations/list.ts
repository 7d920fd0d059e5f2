import { invalidParameter } from '#core/api-error.ts'
import { readInSlices } from '#core/page-request.ts'
import type { OperationInput, ReadOperation, RecordLoader } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fixLimit, toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { andThen } from '#lib/maybe-promise.ts'
import { loadProject } from '#resources/projects/load.ts'
import type { listProjectTasks, listTasks } from '../contract.ts'
import {
  readTaskFilters,
  selectTasks,
  type TaskFilterQuery,
  type TaskQueryShape,
  type TaskSelection,
} from '../filters/list-query.ts'
import { parseStatuses } from '../load.ts'

/** A task is up to 260 KB, so that as many are 26 MB at most. */
const MAX_SLICE = 101

/** The column of each sort order. Ids sort by the time of creation. */
const SORTED_BY: Record<string, string | null> = {
  position: 'tasks.position',
  created_at: null,
  updated_at: 'tasks.updated_at',
  due_date: 'tasks.due_date',
  priority: 'tasks.priority_rank',
  number: 'tasks.number',
}

type ProjectToList = Awaited<ReturnType<typeof loadProject>>
type ListInput = Pick<OperationInput<typeof listTasks>, 'query' | 'page'>

export const loadProjectToList: RecordLoader<typeof listProjectTasks, ProjectToList> = (
  tx,
  { params, query },
) => {
  assertExternalIdPair(query)
  return andThen(loadProject(tx, params.id), (project) => {
    if (query.status) assertSomeStatus(query.status, project)
    return project
  })
}

/** Statuses that the project does not have look like an empty list; most clients guess `open`. */
function assertSomeStatus(keys: readonly string[], { statuses }: ProjectToList): void {
  const known = parseStatuses(statuses).map(({ key }) => key)
  if (keys.some((key) => known.includes(key))) return
  const list = known.map((key) => `\`${key}\``).join(', ')
  throw invalidParameter(
    'status',
    `must name a status of this project: ${list}; for all open tasks send \`completed=false\``,
  )
}

export const listInProject: ReadOperation<typeof listProjectTasks, ProjectToList> = (
  tx,
  project,
  { query: { sort: _, ...filters }, page },
) => list(tx, { query: filters, page }, project)

export const listInWorkspace: ReadOperation<typeof listTasks> = (tx, _, input) => {
  assertExternalIdPair(input.query)
  return list(tx, input)
}

/** External ids mean something only together with their source. */
function assertExternalIdPair({
  external_id,
  external_source,
}: Pick<TaskFilterQuery, 'external_id' | 'external_source'>): void {
  if (external_id === undefined || external_source !== undefined) return
  throw invalidParameter('external_id', 'requires `external_source`')
}

/**
 * The person whose tasks are read in the order of `task_assignees`: the open ones of 2,500 by due date
 * take 9 ms instead of 150 among 100,000. Undefined if that would not be faster: in one project, the
 * person's tasks of all others would be read in vain.
 */
function findOnlyAssignee(
  { filters, isOfProject, hasSelectedIds }: TaskSelection,
  [person, ...others]: readonly string[],
  sort: string,
): string | undefined {
  const hasFilter = filters.some(({ name, variant }) => name === 'assignee_id' && !variant)
  const isInOrder = sort === 'due_date' || sort === 'created_at'
  if (!hasFilter || !isInOrder || isOfProject || hasSelectedIds) return undefined
  return others.length === 0 ? person : undefined
}

const list = (tx: ReadTx, { query, page }: ListInput, project?: ProjectToList) =>
  andThen(readTaskFilters(tx, query, project), ({ selection, values }) => {
    const only_assignee_id = findOnlyAssignee(selection, values.assignee_id, page.sort)
    const hasFilters = selection.filters.some(({ name }) => name !== 'deleted')
    const rows = readInSlices(page, MAX_SLICE, (slice) => {
      const order = toListOrder(slice, SORTED_BY[slice.sort] ?? null)
      const shape: TaskQueryShape = {
        ...selection,
        order: {
          ...(hasFilters || slice.sort === 'due_date' ? order : fixLimit(order, slice)),
          ...(selection.hasSelectedIds && { sorted: true }),
        },
        ...(only_assignee_id !== undefined && { isByAssignee: true }),
        ...(slice.sort === 'due_date' && { part: partOfList(selection, slice.after) }),
      }
      return tx.allNow(selectTasks(shape), {
        ...values,
        ...(only_assignee_id !== undefined && { only_assignee_id }),
        ...toPageWindow(slice),
      })
    })
    return andThen(rows, (tasks) => page.toPage(tasks))
  })

/**
 * Whether a page sorted by due date begins among tasks with a due date or after them. With a filter on
 * the due date there are none after them, and a search for them would read the whole list in vain.
 */
function partOfList({ filters }: TaskSelection, after: readonly unknown[] | undefined) {
  if (filters.some(({ name }) => name === 'due_after' || name === 'due_before')) return 'due'
  return after !== undefined && after[0] === null ? 'undue' : 'both'
}
