import { type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, type Scoped, type StatementBuilder } from '#db/core/statement.ts'
import type { Json } from '#lib/json.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { filterTasks, type TaskSelection } from '#resources/tasks/filters/list-query.ts'
import type { TaskFilterValues } from '#resources/tasks/filters/task-filters.ts'
import { taskJson } from '#resources/tasks/task-json.ts'
import type { TASK_GROUPS, TASK_SORTS } from './contract.ts'

export type TaskGroup = (typeof TASK_GROUPS)[number]
export type TaskSort = (typeof TASK_SORTS)[number]

/** Which tasks the index lists. */
export interface IndexSelection extends TaskSelection {
  /** Which exclusion filters the request has. */
  without: Partial<Record<'assignees' | 'unassigned' | 'tags' | 'untagged' | 'creators', boolean>>
  due?: 'none' | 'any'
}

/** The selection with its grouping and order, which determine the statement. */
export interface IndexQueryShape extends IndexSelection {
  group: TaskGroup
  sort: TaskSort
  descending: boolean
}

/** Values of the exclusion filters, which only the web app has. */
export interface ExclusionFilters {
  not_assignees: readonly string[]
  not_created_by: readonly string[]
  not_tags: readonly string[]
  /** Days at which groups by due date begin. */
  today: string
  tomorrow: string
  next_week: string
  later: string
}

type ProjectIndexStatementParams = Scoped<TaskFilterValues & ExclusionFilters>

const SORTED_BY: Record<Exclude<TaskSort, 'title'>, RawBuilder<unknown>> = {
  position: sql.ref('tasks.position'),
  priority: sql.ref('tasks.priority_rank'),
  due_date: sql.ref('tasks.due_date'),
  created_at: sql.ref('tasks.id'),
  updated_at: sql.ref('tasks.updated_at'),
  number: sql.ref('tasks.number'),
}

/**
 * What tasks are sorted by. Titles ignore the case of the letters A to Z, which both engines fold
 * alike, and the app, too (`getSortValue`).
 */
function sortedBy(sort: TaskSort, { engine }: Dialect): RawBuilder<unknown> {
  if (sort !== 'title') return SORTED_BY[sort]
  return engine === 'sqlite'
    ? sql`lower(tasks.title)`
    : sql`lower(tasks.title collate "C") collate "C"`
}

/** Values that no two tasks of a project share, so nothing else decides the order. */
const UNIQUE_SORTS: readonly TaskSort[] = ['position', 'created_at', 'number']

/**
 * How tasks are grouped: the key of the group, its rank among the groups, and the joins for both.
 */
const GROUPINGS: Record<
  TaskGroup,
  ($: ProjectIndexStatementParams) => {
    key: RawBuilder<string>
    rank?: RawBuilder<unknown>
    with?: RawBuilder<unknown>
  }
> = {
  status: () => ({ key: sql`row.status` }),
  priority: () => ({ key: sql`row.priority`, rank: sql`-row.priority_rank` }),
  assignee: ($) => ({
    key: sql`coalesce(a.user_id, 'none')`,
    rank: sql`m.name_key`,
    with: sql`left join task_assignees as a
      on a.workspace_id = ${$.workspace_id} and a.task_id = row.id
      left join memberships as m on m.workspace_id = a.workspace_id and m.user_id = a.user_id`,
  }),
  tag: ($) => ({
    key: sql`coalesce(t.tag_id, 'none')`,
    rank: sql`g.name_key`,
    with: sql`left join task_tags as t on t.workspace_id = ${$.workspace_id} and t.task_id = row.id
      left join tags as g on g.workspace_id = t.workspace_id and g.id = t.tag_id`,
  }),
  due: ($) => ({
    key: sql`case when row.due_date is null then 'none' when row.due_date < ${$.today} then 'overdue'
      when row.due_date < ${$.tomorrow} then 'today'
      when row.due_date < ${$.next_week} then 'this_week'
      when row.due_date < ${$.later} then 'next_week' else 'later' end`,
    rank: sql`row.due_date`,
  }),
  parent: ($) => ({
    key: sql`coalesce(cast(p.number as text), 'none')`,
    rank: sql`p.number`,
    with: sql`left join tasks as p on p.workspace_id = ${$.workspace_id} and p.id = row.parent_id`,
  }),
  none: () => ({ key: sql`'all'` }),
}

/** The sums over a set of tasks. */
export interface TaskSums {
  count: number
  open: number
  overdue: number
  estimate_seconds: number
  time_spent_seconds: number
}

const SUM_COLUMNS = ['count', 'open', 'overdue', 'estimate_seconds', 'time_spent_seconds'] as const

/** A group as the database returns it. */
interface TaskGroupRow extends TaskSums {
  key: string
  /** A list as JSON text. */
  numbers: string
  /** As JSON text: pairs of the number of a subtask and the number of its parent. Null without any. */
  parents: string | null
}

/** Expects rows with `ROW_COLUMNS`. */
const sumColumns = ($: ProjectIndexStatementParams) => sql`count(*) as count,
  count(case when row.status_category in ('completed', 'canceled') then null else 1 end) as open,
  count(case when row.status_category not in ('completed', 'canceled')
    and row.due_date < ${$.today} then 1 end) as overdue,
  cast(coalesce(sum(row.estimate_seconds), 0) as bigint) as estimate_seconds,
  cast(coalesce(sum(row.time_spent_seconds), 0) as bigint) as time_spent_seconds`

/**
 * The task numbers of each group, and the parents of its subtasks. The database builds the lists, so no
 * row is transferred alone. One statement reads both, because reading the tasks is most of its work.
 */
export const selectGroups = memoizeByShape((view: IndexQueryShape) =>
  query((db, $: ProjectIndexStatementParams, dialect) => {
    const { key, rank = sql`0`, with: joined = sql`` } = GROUPINGS[view.group]($)
    const rows = selectedTasks(db, $, dialect, view).select([
      ...ROW_COLUMNS,
      sortedBy(view.sort, dialect).as('sorted'),
    ])
    const sqlite = dialect.engine === 'sqlite'
    const list = sql.raw(sqlite ? 'json_group_array' : 'json_agg')
    const pair = sql.raw(sqlite ? 'json_array' : 'json_build_array')
    const parent = sql`(select parent.number from tasks as parent
      where parent.workspace_id = ${$.workspace_id} and parent.id = row.parent_id)`
    const groups = sql<TaskGroupRow>`(
      select ${key} as key, ${sumColumns($)},
        cast(${list}(row.number order by ${orderTerms(view)}) as text) as numbers,
        cast(${list}(${pair}(row.number, ${parent})) filter (where row.parent_id is not null) as text)
          as parents,
        min(${rank}) as rank
      from (${rows}) as row ${joined} group by 1)`
    return db
      .selectFrom(groups.as('found'))
      .select(['key', ...SUM_COLUMNS, 'numbers', 'parents'])
      .orderBy(sql`rank is null`)
      .orderBy(sql`rank`)
      .orderBy('key')
  }),
)

/** A further term costs up to a tenth of the time of a list of 100,000 tasks. */
const orderTerms = ({ sort, descending }: IndexQueryShape) => {
  const direction = sql.raw(descending ? 'desc' : 'asc')
  const terms = [sql`row.sorted ${direction}`]
  if (sort === 'due_date') terms.unshift(sql`row.sorted is null`)
  if (!UNIQUE_SORTS.includes(sort)) terms.push(sql`row.id ${direction}`)
  return sql.join(terms)
}

const ROW_COLUMNS = [
  'tasks.id',
  'tasks.number',
  'tasks.status',
  'tasks.priority',
  'tasks.priority_rank',
  'tasks.due_date',
  'tasks.parent_id',
  'tasks.status_category',
  'tasks.estimate_seconds',
  'tasks.time_spent_seconds',
] as const

/** The sums over all tasks, for groupings in which a task can be in several groups. */
export const selectSums = memoizeByShape((selection: IndexSelection) =>
  query((db, $: ProjectIndexStatementParams, dialect) => {
    const rows = selectedTasks(db, $, dialect, selection).select([...ROW_COLUMNS])
    const summed = sql<TaskSums>`(select ${sumColumns($)} from (${rows}) as row)`
    return db.selectFrom(summed.as('summed')).select([...SUM_COLUMNS])
  }),
)

/** Start and due dates of the tasks that have at least one of them. */
export const selectDates = memoizeByShape((selection: IndexSelection) =>
  query((db, $: ProjectIndexStatementParams, dialect) =>
    selectedTasks(db, $, dialect, selection)
      .where(sql<boolean>`(tasks.start_date is not null or tasks.due_date is not null)`)
      .select(['tasks.number', 'tasks.start_date', 'tasks.due_date']),
  ),
)

/**
 * The blockers of the tasks, with their dates. Cross joins keep SQLite from starting with all links of
 * the workspace. The caller drops blockers that are deleted or in another project.
 */
export const selectBlockers = memoizeByShape((selection: IndexSelection) =>
  query((db, $: ProjectIndexStatementParams, dialect) =>
    selectedTasks(db, $, dialect, selection)
      .crossJoin('task_blocks as link')
      .crossJoin('tasks as blocker')
      .where('link.workspace_id', '=', $.workspace_id)
      .whereRef('link.task_id', '=', 'tasks.id')
      .where('blocker.workspace_id', '=', $.workspace_id)
      .whereRef('blocker.id', '=', 'link.blocker_id')
      .select(['tasks.number', 'blocker.number as blocker', 'blocker.project_id'])
      .select(['blocker.start_date', 'blocker.due_date', 'blocker.deleted_at'])
      .select('blocker.status_category'),
  ),
)

/** The tasks of a list, without those that the exclusion filters drop. */
function selectedTasks(
  db: Pick<StatementBuilder, 'selectFrom'>,
  $: ProjectIndexStatementParams,
  dialect: Dialect,
  selection: IndexSelection,
) {
  let rows = filterTasks(db as StatementBuilder, $, dialect, selection)
  const { without, due } = selection
  if (without.assignees) {
    rows = rows.where(
      sql<boolean>`not exists (select 1 from task_assignees as a
        where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
          and ${dialect.inList('a.user_id', $.not_assignees)})`,
    )
  }
  if (without.unassigned) rows = rows.where('tasks.assignee_ids', '<>', '[]')
  if (without.tags) {
    rows = rows.where(
      sql<boolean>`not exists (select 1 from task_tags as t
        where t.workspace_id = ${$.workspace_id} and t.task_id = tasks.id
          and ${dialect.inList('t.tag_id', $.not_tags)})`,
    )
  }
  if (without.untagged) rows = rows.where('tasks.tag_ids', '<>', '[]')
  if (without.creators) {
    rows = rows.where(
      sql<boolean>`not (${dialect.inList('tasks.created_by_id', $.not_created_by)})`,
    )
  }
  if (due === 'none') rows = rows.where('tasks.due_date', 'is', null)
  if (due === 'any') rows = rows.where('tasks.due_date', 'is not', null)
  return rows
}

/** Undeleted tasks of a project by their numbers, if the actor sees them. */
export const visibleTasksByNumber = query(
  (db, $: Scoped<{ project_id: string; numbers: number[] }>, dialect) =>
    db
      .selectFrom('tasks')
      .innerJoin('projects', (join) =>
        join
          .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
          .onRef('projects.id', '=', 'tasks.project_id'),
      )
      .select(['tasks.number', sql<Json<Task>>`${taskJson(dialect, $)}`.as('json')])
      .where('tasks.workspace_id', '=', $.workspace_id)
      .where('tasks.project_id', '=', $.project_id)
      .where(dialect.inNumberList('tasks.number', $.numbers))
      .where('tasks.deleted_at', 'is', null)
      .where(isProjectVisible($)),
)
