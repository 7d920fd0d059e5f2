import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { ProjectRow, Tables } from '#db/schema/tables.ts'
import { andThen, awaitAll, type MaybePromise } from '#lib/maybe-promise.ts'
import { taskJson } from '../task-json.ts'
import { findSelectedIds, type UsedFilter } from './selective-filter.ts'
import {
  TASK_FILTER_DEFINITIONS,
  type TaskFilterName,
  type TaskFilterValues,
  type TaskListQuery,
  UNUSED_FILTER_VALUES,
} from './task-filters.ts'

/** Which filters a request has. This determines every statement about tasks. */
export interface TaskSelection {
  /** In the order of `TASK_FILTER_DEFINITIONS`. */
  filters: readonly UsedFilter[]
  /** Whether the list is below a project in the URL. */
  isOfProject: boolean
  /** Whether only the ids that a selective filter has found are listed. */
  hasSelectedIds: boolean
}

/** The selection and the order of a list, which determine its statement. */
export interface TaskQueryShape extends TaskSelection {
  order: ListOrder
  /**
   * Sorted by due date, tasks without one come last. The page is in one part of the list, or in
   * both.
   */
  part?: 'due' | 'undue' | 'both'
  /** Whether to read the tasks of one person in the order of `task_assignees`. */
  isByAssignee?: boolean
}

type TaskQuery = SelectQueryBuilder<Tables, 'tasks', Record<never, never>>

/** A page of tasks. Each shape is a single statement, and so reads a single snapshot. */
export const selectTasks = memoizeByShape((shape: TaskQueryShape) =>
  query((db, $: Scoped<PageWindow & TaskFilterValues>, dialect) => {
    const { order, part } = shape
    const rows = (of: TaskQueryShape) => taskPage(db as Kysely<Tables>, $, dialect, of)
    if (part === undefined) return rows(shape)
    const due = rows({ ...shape, part: 'due' })
    const undueOrder = { ...order, column: null, continued: part === 'undue' }
    const undue = rows({ ...shape, order: undueOrder, part: 'undue' })
    if (part === 'due') return due
    if (part === 'undue') return undue
    const direction = order.descending ? 'desc' : 'asc'
    // With a limit of 0 nothing is read: if a page is full of tasks with a due date, a search for those
    // without one would read all tasks in vain.
    const rest = undue.limit(sql<number>`${$.limit} - (select count(*) from due)`)
    const withDue = db.with('due', () => due)
    return withDue
      .selectFrom(
        withDue
          .selectFrom('due as first')
          .selectAll()
          .unionAll(db.selectFrom(rest.as('undue')).selectAll())
          .as('both'),
      )
      .selectAll()
      .orderBy(sql`key is null`)
      .orderBy('key', direction)
      .orderBy('id', direction)
      .limit($.limit)
  }),
)

function taskPage(
  db: Kysely<Tables>,
  $: Scoped<PageWindow & TaskFilterValues>,
  dialect: Dialect,
  shape: TaskQueryShape,
) {
  const { order, filters } = shape
  if (!shape.isByAssignee)
    return pageOf(filterTasks(db, $, dialect, shape, order), $, dialect, shape)
  // The cross join makes SQLite begin with the links, of which it would otherwise read all.
  const assigned = db
    .selectFrom('task_assignees as assigned')
    .crossJoin('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .where('assigned.user_id', '=', $.only_assignee_id)
    .whereRef('tasks.id', '=', 'assigned.task_id')
  const others = { ...shape, filters: filters.filter(({ name }) => name !== 'assignee_id') }
  const column = order.column && OF_ASSIGNED.due_date
  const inOrder = { ...shape, order: { ...order, column } }
  const selection = applyTaskFilters(assigned, $, dialect, others, inOrder.order)
  return pageOf(selection, $, dialect, inOrder, OF_ASSIGNED)
}

/** The columns by which a page is sorted and continued: those with the index that it reads. */
const OF_TASKS = { id: 'tasks.id', due_date: 'tasks.due_date' }
const OF_ASSIGNED: typeof OF_TASKS = { id: 'assigned.task_id', due_date: 'assigned.due_date' }

/** Adds columns, order and limit to a selection of tasks. */
function pageOf<DB, T extends keyof DB>(
  tasks: SelectQueryBuilder<DB, T, Record<never, never>>,
  $: Scoped<PageWindow & TaskFilterValues>,
  dialect: Dialect,
  { order, part, isOfProject }: Pick<TaskQueryShape, 'order' | 'part' | 'isOfProject'>,
  { id, due_date } = OF_TASKS,
) {
  const key =
    part === 'undue' ? sql<string | null>`null` : sql.ref<string | null>(order.column ?? id)
  // The expression keeps SQLite from reading all of the index on due dates to find few selected tasks.
  const due = order.sorted ? sql`coalesce(due_date, due_date)` : sql.ref(due_date)
  // Only what the page needs: a list of two parts is merged by both columns.
  let rows = tasks
    .select(taskJson(dialect, $, isOfProject ? sql`${$.list_prefix}` : undefined).as('json'))
    .$if(part !== undefined, (page) => page.select(sql.ref<string>('tasks.id').as('id')))
    .$if(part !== undefined || order.column !== null, (page) => page.select(key.as('key')))
  if (part === 'due') rows = rows.where(sql<boolean>`${due} is not null`)
  if (part === 'undue') rows = rows.where(sql<boolean>`${sql.ref(due_date)} is null`)
  return paginate(rows, $, id, order)
}

/**
 * The tasks of a selection. They are joined with their projects unless all are of one, whose prefix
 * the caller knows. The caller adds the columns. `pageOrder` is the order of a statement that ends when
 * a page is full.
 */
export function filterTasks(
  db: Kysely<Tables>,
  $: Scoped<TaskFilterValues>,
  dialect: Dialect,
  shape: TaskSelection,
  pageOrder?: ListOrder,
): TaskQuery {
  const tasks = db.selectFrom('tasks')
  const joined = tasks.$if(!shape.isOfProject, (all) =>
    all.innerJoin('projects', 'projects.id', 'tasks.project_id'),
  )
  return applyTaskFilters(joined, $, dialect, shape, pageOrder)
}

/**
 * Adds the conditions of filters to a selection with tasks and, unless the list is of one project, their
 * projects: also that the actor sees them. `pageOrder` is the order of a page of tasks.
 */
export function applyTaskFilters<DB, T extends keyof DB>(
  selection: SelectQueryBuilder<DB, T, Record<never, never>>,
  $: Scoped<TaskFilterValues>,
  dialect: Dialect,
  shape: TaskSelection,
  pageOrder?: ListOrder,
) {
  let tasks = selection
  for (const filter of shape.filters) {
    const conditions = pageOrder
      ? pageConditions($, dialect, shape, filter, pageOrder)
      : [TASK_FILTER_DEFINITIONS[filter.name].condition($, dialect, filter.variant)]
    for (const condition of conditions) tasks = tasks.where(condition)
  }
  if (shape.hasSelectedIds) tasks = tasks.where(dialect.inList('tasks.id', $.selected_ids))
  return tasks.where(
    shape.isOfProject ? sql<boolean>`tasks.project_id = ${$.list_project_id}` : isProjectVisible($),
  )
}

/**
 * The conditions of a filter in a statement that walks along the order of a page, or sorts few selected
 * tasks. Only a filter on the column of the order may narrow the walk.
 */
function pageConditions(
  $: Scoped<TaskFilterValues>,
  dialect: Dialect,
  { hasSelectedIds }: TaskSelection,
  { name, variant }: UsedFilter,
  { column }: ListOrder,
): RawBuilder<SqlBool>[] {
  const { condition, pageCondition = condition, index } = TASK_FILTER_DEFINITIONS[name]
  const own = pageCondition($, dialect, variant)
  if (index?.scope !== 'project') return [own]
  const walked = hasSelectedIds ? undefined : (column ?? 'tasks.id')
  if (walked !== `tasks.${index.range}`) return [dialect.withoutIndex(own)]
  return index.condition ? [own, index.condition($, dialect)] : [own]
}

/** Reads the filters of a query: which statement they need, and the values that it binds. */
export function readTaskFilters(
  tx: ReadTx,
  query: TaskFilterQuery,
  project?: Pick<ProjectRow, 'id' | 'prefix' | 'last_number'>,
): MaybePromise<{ selection: TaskSelection; values: TaskFilterValues }> {
  const parameters: TaskFilterQuery = { deleted: 'exclude', ...query }
  const names = FILTER_NAMES.filter((name) => parameters[name] !== undefined)
  return andThen(awaitAll(names.map((name) => readFilter(tx, parameters, name))), (uses) => {
    const filters: UsedFilter[] = []
    const values: TaskFilterValues = { ...UNUSED_FILTER_VALUES }
    if (project) {
      values.list_project_id = project.id
      values.list_prefix = project.prefix
    }
    for (const [at, name] of names.entries()) {
      const { variant, values: used } = uses[at] ?? {}
      filters.push({ name, ...(variant !== undefined && { variant }) })
      Object.assign(values, used)
    }
    return andThen(findSelectedIds(tx, filters, values, project), (selected) => ({
      selection: {
        filters,
        isOfProject: project !== undefined,
        hasSelectedIds: selected !== undefined,
      },
      // The filters stay: on PostgreSQL a task can stop matching between the two statements.
      values: selected ? { ...values, selected_ids: selected } : values,
    }))
  })
}

/** The parameters of a query that are filters. */
export type TaskFilterQuery = Pick<TaskListQuery, TaskFilterName>

const FILTER_NAMES = Object.keys(TASK_FILTER_DEFINITIONS) as TaskFilterName[]

function readFilter<N extends TaskFilterName>(tx: ReadTx, query: TaskFilterQuery, name: N) {
  const value: TaskFilterQuery[N] = query[name]
  return value === undefined ? undefined : TASK_FILTER_DEFINITIONS[name].read(value, tx)
}
