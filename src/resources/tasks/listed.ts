import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'
import { shown } from './shown.ts'

/** The values of the filters that a list of tasks can have (contract 3.3). */
export interface Filters {
  project_id: string
  projects: readonly string[]
  ids: readonly string[]
  status: readonly string[]
  status_category: readonly string[]
  assignees: readonly string[]
  created_by: readonly string[]
  tags: readonly string[]
  /** Ranks of priorities: 0 for none. */
  ranks: readonly number[]
  parent_id: string
  due_after: string
  due_before: string
  created_after: string
  created_before: string
  updated_since: string
  completed_after: string
  completed_before: string
  external_source: string
  external_id: string
  /** Words of the search, each with the mark of the workspace, separated by spaces. */
  search: string
  /** The task whose short id the search is. */
  searched_id: string
  /** All tasks that one of the filters leaves, where these are few. */
  few: readonly string[]
  /** Tasks deleted before cannot be restored any more, and are not shown. */
  trash_since: string
}

/** A filter that is a condition of its own. */
export type Filter = Exclude<keyof Filters, 'searched_id' | 'trash_since'>

/** Which filters there are, and their variants: what shapes every statement about a set of tasks. */
export interface Selection {
  filters: readonly Filter[]
  completed?: boolean
  /** Also tasks without an assignee, without a tag; only those without a parent. */
  unassigned?: boolean
  untagged?: boolean
  topLevel?: boolean
  deleted: 'exclude' | 'include' | 'only'
  /** The search is the short id of a task. */
  byShortId?: boolean
  /** A search without a word finds nothing. */
  nothing?: boolean
}

/** What shapes the statement of a list: its order, too. */
export interface Shape extends Selection {
  order: Order
  /** Due dates may be null, which come last: this page is of one part of the list or of both. */
  part?: 'due' | 'undue' | 'both'
}

type Found = SelectQueryBuilder<Tables, 'tasks' | 'projects', Record<never, never>>

/** A page of tasks; every shape is one statement and so sees one state of the store. */
export const tasksWhere = shaped((shape: Shape) =>
  query((db, $: Scoped<Window & Filters>, dialect) => {
    const { order, part } = shape
    const rows = (of: Shape) => selected(db as Kysely<Tables>, $, dialect, of)
    if (part === undefined) return rows(shape)
    const undue = { ...order, column: null, continued: part === 'undue' }
    const due = db.selectFrom(rows({ ...shape, part: 'due' }).as('due')).selectAll()
    const rest = db
      .selectFrom(rows({ ...shape, order: undue, part: 'undue' }).as('undue'))
      .selectAll()
    if (part === 'due') return due
    if (part === 'undue') return rest
    const direction = order.descending ? 'desc' : 'asc'
    return db
      .selectFrom(due.unionAll(rest).as('both'))
      .selectAll()
      .orderBy(sql`key is null`)
      .orderBy('key', direction)
      .orderBy('id', direction)
      .limit($.limit)
  }),
)

function selected(db: Kysely<Tables>, $: Scoped<Window & Filters>, dialect: Dialect, shape: Shape) {
  const { order, part } = shape
  const key =
    part === 'undue' ? sql<string | null>`null` : sql.ref<string | null>(order.column ?? 'tasks.id')
  let found = tasksIn(db, $, dialect, shape)
  if (part === 'due') found = found.where('due_date', 'is not', null)
  if (part === 'undue') found = found.where('due_date', 'is', null)
  const shownRows = found.select(['tasks.id', key.as('key'), shown(dialect, $).as('json')])
  return paged(shownRows, $, 'tasks.id', order)
}

/** The tasks of a selection with their projects: what to select of them is the caller's to say. */
export function tasksIn(
  db: Kysely<Tables>,
  $: Scoped<Filters>,
  dialect: Dialect,
  shape: Selection,
): Found {
  let found: Found = db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .where('tasks.workspace_id', '=', $.workspace_id)
  for (const filter of shape.filters) found = found.where(CONDITIONS[filter]($, dialect, shape))
  if (!shape.filters.includes('project_id')) found = found.where(visible($))
  if (shape.completed !== undefined) {
    found = found.where('status_category', shape.completed ? '=' : '<>', 'completed')
  }
  if (shape.unassigned && !shape.filters.includes('assignees')) found = found.where(UNASSIGNED)
  if (shape.untagged && !shape.filters.includes('tags')) found = found.where(UNTAGGED)
  if (shape.topLevel) found = found.where('tasks.parent_id', 'is', null)
  if (shape.deleted === 'exclude') found = found.where('tasks.deleted_at', 'is', null)
  if (shape.deleted === 'only') found = found.where('tasks.deleted_at', '>', $.trash_since)
  if (shape.deleted === 'include') {
    found = found.where((is) =>
      is.or([is('tasks.deleted_at', 'is', null), is('tasks.deleted_at', '>', $.trash_since)]),
    )
  }
  if (shape.nothing) found = found.where(sql<boolean>`1 = 0`)
  return found
}

type Condition = ReturnType<typeof sql<boolean>>
const UNASSIGNED: Condition = sql`tasks.assignee_ids = '[]'`
const UNTAGGED: Condition = sql`tasks.tag_ids = '[]'`

/** A filter of each kind as a condition. */
const CONDITIONS: Record<
  Filter,
  ($: Scoped<Filters>, dialect: Dialect, shape: Selection) => Condition
> = {
  project_id: ($) => sql`tasks.project_id = ${$.project_id}`,
  projects: ($, { among }) => among('tasks.project_id', $.projects) as Condition,
  ids: ($, { among }) => among('tasks.id', $.ids) as Condition,
  status: ($, { among }) => among('tasks.status', $.status) as Condition,
  status_category: ($, { among }) => among('tasks.status_category', $.status_category) as Condition,
  assignees: ($, { among }, { unassigned }) => {
    const assigned = sql<boolean>`exists (select 1 from task_assignees as a
      where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
        and ${among('a.user_id', $.assignees)})`
    return unassigned ? sql`(${assigned} or ${UNASSIGNED})` : assigned
  },
  created_by: ($, { among }) => among('tasks.created_by_id', $.created_by) as Condition,
  tags: ($, { among }, { untagged }) => {
    const tagged = sql<boolean>`exists (select 1 from task_tags as t
      where t.workspace_id = ${$.workspace_id} and t.task_id = tasks.id
        and ${among('t.tag_id', $.tags)})`
    return untagged ? sql`(${tagged} or ${UNTAGGED})` : tagged
  },
  ranks: ($, { amongNumbers }) => amongNumbers('tasks.priority_rank', $.ranks) as Condition,
  few: ($, { among }) => among('tasks.id', $.few) as Condition,
  parent_id: ($) => sql`tasks.parent_id = ${$.parent_id}`,
  due_after: ($) => sql`tasks.due_date >= ${$.due_after}`,
  due_before: ($) => sql`tasks.due_date < ${$.due_before}`,
  created_after: ($) => sql`tasks.created_at >= ${$.created_after}`,
  created_before: ($) => sql`tasks.created_at < ${$.created_before}`,
  updated_since: ($) => sql`tasks.updated_at >= ${$.updated_since}`,
  completed_after: ($) => sql`tasks.completed_at >= ${$.completed_after}`,
  completed_before: ($) => sql`tasks.completed_at < ${$.completed_before}`,
  external_source: ($) => sql`tasks.external_source = ${$.external_source}`,
  external_id: ($) => sql`tasks.external_id = ${$.external_id}`,
  search: ($, { tasksWithWords }, { byShortId }) => {
    const worded = tasksWithWords('tasks', $.workspace_id, $.search) as Condition
    return byShortId ? sql`(${worded} or tasks.id = ${$.searched_id})` : worded
  },
}
