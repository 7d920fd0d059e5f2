import { type RawBuilder, sql } from 'kysely'
import type { Json } from '#lib/json.ts'
import { visible } from '#resources/projects/visible.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { type Filters, type Selection, tasksIn } from '#resources/tasks/listed.ts'
import { shown } from '#resources/tasks/shown.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Builder, query, type Scoped, shaped } from '#storage/statement.ts'
import type { GROUPS, SORTS } from './contract.ts'

export type Group = (typeof GROUPS)[number]
export type Sort = (typeof SORTS)[number]

/** Which tasks a view has. */
export interface Unsorted extends Selection {
  /** What the tasks are not to have. */
  without: Partial<Record<'assignees' | 'unassigned' | 'tags' | 'untagged' | 'creators', boolean>>
  due?: 'none' | 'any'
}

/** The same with their order: all that shapes the statement of a view. */
export interface View extends Unsorted {
  group: Group
  sort: Sort
  descending: boolean
}

/** Filters that only the web app has, beside those of every list. */
export interface Unlike {
  not_assignees: readonly string[]
  not_created_by: readonly string[]
  not_tags: readonly string[]
  /** Days at which groups by due date begin. */
  today: string
  tomorrow: string
  next_week: string
  later: string
}

type $ = Scoped<Filters & Unlike>

const SORTED_BY: Record<Sort, RawBuilder<unknown>> = {
  position: sql.ref('tasks.position'),
  priority: sql.ref('tasks.priority_rank'),
  due_date: sql.ref('tasks.due_date'),
  created_at: sql.ref('tasks.id'),
  updated_at: sql.ref('tasks.updated_at'),
  title: sql.ref('tasks.title'),
  number: sql.ref('tasks.number'),
}

/** What a task is grouped by: the key, where the group stands among the others, and what that needs. */
const BY: Record<
  Group,
  ($: $) => { key: RawBuilder<string>; rank?: RawBuilder<unknown>; with?: RawBuilder<unknown> }
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

/** What is counted of tasks. */
export interface Sums {
  count: number
  open: number
  overdue: number
  estimate_seconds: number
  time_spent_seconds: number
}

const SUMS = ['count', 'open', 'overdue', 'estimate_seconds', 'time_spent_seconds'] as const

/** A group as it is read; `numbers` is the JSON of a list. */
interface Grouped extends Sums {
  key: string
  numbers: string
}

/** Of rows that have `COLUMNS`. */
const sums = ($: $) => sql`count(*) as count,
  count(case when row.status_category in ('completed', 'canceled') then null else 1 end) as open,
  count(case when row.status_category not in ('completed', 'canceled')
    and row.due_date < ${$.today} then 1 end) as overdue,
  cast(coalesce(sum(row.estimate_seconds), 0) as bigint) as estimate_seconds,
  cast(coalesce(sum(row.time_spent_seconds), 0) as bigint) as time_spent_seconds`

/** The numbers of a view's tasks by group: the database writes the lists, no row is read one by one. */
export const groupsOf = shaped((view: View) =>
  query((db, $: $, dialect) => {
    const { key, rank = sql`0`, with: joined = sql`` } = BY[view.group]($)
    const rows = viewed(db, $, dialect, view).select([
      ...COLUMNS,
      SORTED_BY[view.sort].as('sorted'),
    ])
    const sqlite = dialect.engine === 'sqlite'
    const list = sql.raw(sqlite ? 'json_group_array' : 'json_agg')
    const to = sql.raw(view.descending ? 'desc' : 'asc')
    const found = sql<Grouped>`(
      select ${key} as key, ${sums($)},
        cast(${list}(row.number order by row.sorted is null, row.sorted ${to}, row.id ${to}) as text)
          as numbers,
        min(${rank}) as rank
      from (${rows}) as row ${joined} group by 1)`
    return db
      .selectFrom(found.as('found'))
      .select(['key', ...SUMS, 'numbers'])
      .orderBy(sql`rank is null`)
      .orderBy(sql`rank`)
      .orderBy('key')
  }),
)

const COLUMNS = [
  ...(['tasks.id', 'tasks.number', 'tasks.status', 'tasks.priority'] as const),
  ...(['tasks.priority_rank', 'tasks.due_date', 'tasks.parent_id'] as const),
  'tasks.status_category',
  ...(['tasks.estimate_seconds', 'tasks.time_spent_seconds'] as const),
] as const

/** The sums of a view, where some tasks stand in several groups. */
export const sumsOf = shaped((selection: Unsorted) =>
  query((db, $: $, dialect) => {
    const rows = viewed(db, $, dialect, selection).select([...COLUMNS])
    const summed = sql<Sums>`(select ${sums($)} from (${rows}) as row)`
    return db.selectFrom(summed.as('summed')).select([...SUMS])
  }),
)

/** The numbers of the parents, by those of the subtasks in a view. */
export const parentsOf = shaped((selection: Unsorted) =>
  query((db, $: $, dialect) =>
    viewed(db, $, dialect, selection)
      .where('tasks.parent_id', 'is not', null)
      .select((is) => [
        'tasks.number',
        is
          .selectFrom('tasks as parent')
          .select('parent.number')
          .where('parent.workspace_id', '=', $.workspace_id)
          .whereRef('parent.id', '=', 'tasks.parent_id')
          .as('parent'),
      ]),
  ),
)

/** When the tasks of a view begin and are due; those without either are left out. */
export const spansOf = shaped((selection: Unsorted) =>
  query((db, $: $, dialect) =>
    viewed(db, $, dialect, selection)
      .where(sql<boolean>`(tasks.start_date is not null or tasks.due_date is not null)`)
      .select(['tasks.number', 'tasks.start_date', 'tasks.due_date']),
  ),
)

/**
 * What the tasks of a view wait for, and when that begins and is due. Which of it is in the project and not deleted is
 * seen by the caller: asked for here, SQLite goes through the project for each task, 10,000 times 10,000.
 */
export const blocksOf = shaped((selection: Unsorted) =>
  query((db, $: $, dialect) =>
    viewed(db, $, dialect, selection)
      .innerJoin('task_blocks as link', (join) =>
        join.on('link.workspace_id', '=', $.workspace_id).onRef('link.task_id', '=', 'tasks.id'),
      )
      .innerJoin('tasks as blocker', (join) =>
        join
          .on('blocker.workspace_id', '=', $.workspace_id)
          .onRef('blocker.id', '=', 'link.blocker_id'),
      )
      .select(['tasks.number', 'blocker.number as blocker', 'blocker.project_id'])
      .select(['blocker.start_date', 'blocker.due_date', 'blocker.deleted_at']),
  ),
)

/** The tasks of a view: those of a list, less those that are unlike what is wanted. */
function viewed(db: Pick<Builder, 'selectFrom'>, $: $, dialect: Dialect, selection: Unsorted) {
  let found = tasksIn(db as Builder, $, dialect, selection)
  const { without, due } = selection
  if (without.assignees) {
    found = found.where(
      sql<boolean>`not exists (select 1 from task_assignees as a
        where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
          and ${dialect.among('a.user_id', $.not_assignees)})`,
    )
  }
  if (without.unassigned) found = found.where('tasks.assignee_ids', '<>', '[]')
  if (without.tags) {
    found = found.where(
      sql<boolean>`not exists (select 1 from task_tags as t
        where t.workspace_id = ${$.workspace_id} and t.task_id = tasks.id
          and ${dialect.among('t.tag_id', $.not_tags)})`,
    )
  }
  if (without.untagged) found = found.where('tasks.tag_ids', '<>', '[]')
  if (without.creators) {
    found = found.where(
      sql<boolean>`not (${dialect.among('tasks.created_by_id', $.not_created_by)})`,
    )
  }
  if (due === 'none') found = found.where('tasks.due_date', 'is', null)
  if (due === 'any') found = found.where('tasks.due_date', 'is not', null)
  return found
}

/** Tasks of a project by their numbers. */
export const rowsByNumber = query(
  (db, $: Scoped<{ project_id: string; numbers: number[] }>, dialect) =>
    db
      .selectFrom('tasks')
      .innerJoin('projects', (join) =>
        join
          .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
          .onRef('projects.id', '=', 'tasks.project_id'),
      )
      .select(['tasks.number', sql<Json<Task>>`${shown(dialect, $)}`.as('json')])
      .where('tasks.workspace_id', '=', $.workspace_id)
      .where('tasks.project_id', '=', $.project_id)
      .where(dialect.amongNumbers('tasks.number', $.numbers))
      .where('tasks.deleted_at', 'is', null)
      .where(visible($)),
)
