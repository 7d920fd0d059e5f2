import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { viewerId } from '#core/actor.ts'
import type { OperationInput } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import type { Dialect } from '#db/core/dialect.ts'
import type { Scoped } from '#db/core/statement.ts'
import { toIndexQuery } from '#db/tasks/search-words.ts'
import { firstIdAt } from '#lib/id.ts'
import { andThen, awaitAll } from '#lib/maybe-promise.ts'
import { extractQueryWords } from '#lib/search-words.ts'
import { STATUS_CATEGORIES } from '#resources/projects/contract.ts'
import type { listTasks } from '../contract.ts'
import { PRIORITIES } from '../fields.ts'
import { idOfShortId, resolveTaskId } from '../load.ts'

export type TaskListQuery = OperationInput<typeof listTasks>['query']
export type TaskFilterName = Exclude<keyof TaskListQuery, 'limit' | 'cursor' | 'sort'>

const NO_STRINGS: readonly string[] = []

/**
 * The values that filters bind, with what is bound for a filter that the request does not have: no
 * statement uses it.
 */
export const UNUSED_FILTER_VALUES = {
  /** The project of a list that is below it in the URL, and its prefix. */
  list_project_id: '',
  list_prefix: '',
  project_id: NO_STRINGS,
  id: NO_STRINGS,
  status: NO_STRINGS,
  status_category: NO_STRINGS,
  /** The categories that are completed, or those that are not. */
  completed: NO_STRINGS,
  assignee_id: NO_STRINGS,
  /** The person of `isByAssignee`. */
  only_assignee_id: '',
  created_by_id: NO_STRINGS,
  tag_id: NO_STRINGS,
  /** Ranks of priorities: 0 for none. */
  priority_rank: [] as readonly number[],
  parent_id: '',
  due_after: '',
  due_before: '',
  created_after: '',
  /** Ids sort by the time of creation. */
  first_id: '',
  created_before: '',
  end_id: '',
  updated_since: '',
  completed_after: '',
  completed_before: '',
  external_source: '',
  external_id: '',
  /** The words of the search, as `toIndexQuery` returns them. */
  search: '',
  /** The task whose short id equals the search. */
  searched_id: '',
  /** Tasks that were deleted earlier can no longer be restored, and are not listed. */
  trash_since: '',
  /** The ids that match a selective filter, if the request has one. */
  selected_ids: NO_STRINGS,
}

export type TaskFilterValues = typeof UNUSED_FILTER_VALUES

type TaskCondition = RawBuilder<SqlBool>
type ConditionBuilder = ($: Scoped<TaskFilterValues>, dialect: Dialect) => TaskCondition

/** How a request uses a filter: the values that it binds, and its variant if it has several. */
interface FilterUse {
  values?: Partial<TaskFilterValues>
  variant?: string
}

/** The values, with the number of matches that are too many. */
export type FinderParams = Scoped<TaskFilterValues & { limit: number }>

/** Finds the ids of all matching tasks by an index, in PostgreSQL of each value up to the limit. */
type TaskIdFinder = ($: FinderParams, dialect: Dialect) => RawBuilder<unknown>

/**
 * An index of the workspace serves one filter. One of a project is given by `range`, the column after
 * the project: it serves all filters of that range together, each by its condition on `tasks` or by
 * another one. A list that is sorted by `range` is walked along from where the matches begin.
 */
type TaskIndex =
  | { scope: 'workspace'; find: TaskIdFinder; isOfUndeleted?: true; variant?: string }
  | { scope: 'project'; range: string; condition?: ConditionBuilder }

interface TaskFilter<V> {
  /** Reads the parameter of the query, which has been validated. */
  read: (value: V, tx: ReadTx) => FilterUse | Promise<FilterUse>
  condition: ($: Scoped<TaskFilterValues>, dialect: Dialect, variant?: string) => TaskCondition
  /** The condition for statements that end when a page is full, if another one is faster there. */
  pageCondition?: TaskFilter<V>['condition']
  /** The index that finds the matches, unless another variant than its own is used. */
  index?: TaskIndex
}

type TaskFilters = { readonly [N in TaskFilterName]: TaskFilter<NonNullable<TaskListQuery[N]>> }

const isNamed = (id: string) => id !== 'none'
const resolveMe = (tx: ReadTx, ids: readonly string[]) =>
  ids.map((id) => (id === 'me' ? viewerId(tx.actor) : id))

/** A list of ids in which `none` stands for tasks without any. */
function useIdsOrNone(ids: readonly string[], values: Partial<TaskFilterValues>): FilterUse {
  if (!ids.includes('none')) return { values }
  return ids.some(isNamed) ? { values, variant: 'named or none' } : { variant: 'none' }
}

const linkedOrNone = (linked: TaskCondition, none: TaskCondition, variant?: string) => {
  if (variant === 'none') return none
  return variant === 'named or none' ? sql<boolean>`(${linked} or ${none})` : linked
}

/**
 * The tasks that a table links to some ids. PostgreSQL, which does not know how few tasks an id has,
 * would read the whole table (1,600 pages among 100,000), but not in the order of the index.
 */
const linkedTasks =
  (
    table: 'task_assignees' | 'task_tags',
    column: 'user_id' | 'tag_id',
    idsOf: ($: Scoped<TaskFilterValues>) => unknown,
  ): TaskIdFinder =>
  ($, { engine, inList }) => {
    const links = sql`select task_id as id from ${sql.table(table)}
      where workspace_id = ${$.workspace_id}`
    return engine === 'sqlite'
      ? sql`${links} and ${inList(column, idsOf($))}`
      : sql`select found.id from json_array_elements_text(${idsOf($)}::json) as wanted (value)
          cross join lateral (${links} and ${sql.ref(column)} = wanted.value
            order by task_id limit ${$.limit}) as found`
  }

/** The index on external ids, which leaves out deleted tasks. */
const externalIndex = (idCondition: ConditionBuilder): TaskIndex => ({
  scope: 'workspace',
  isOfUndeleted: true,
  find: ($, dialect) => sql`select id from tasks where workspace_id = ${$.workspace_id}
    and external_source = ${$.external_source} and ${idCondition($, dialect)}
    and deleted_at is null`,
})

const CATEGORY_OF_STATUS = sql`status.value ->> 'category'`

const OR_SHORT_ID = 'words or short id'

function wordsOrShortId(
  $: Scoped<TaskFilterValues>,
  hasWords: TaskCondition,
  variant?: string,
): TaskCondition {
  if (variant === 'nothing') return sql`1 = 0`
  return variant ? sql`(${hasWords} or tasks.id = ${$.searched_id})` : hasWords
}

/**
 * What each filter of a list of tasks means (docs/spec/api.md#sorting-and-filters). The schema of
 * its parameter is in `TASK_FILTERS` of ../contract.ts. If a request has several filters with an
 * index, the first that matches few tasks is used.
 */
export const TASK_FILTER_DEFINITIONS: TaskFilters = {
  parent_id: {
    read: (name, tx) =>
      name === 'none'
        ? { variant: 'none' }
        : andThen(resolveTaskId(tx, name), (parent_id) => ({ values: { parent_id } })),
    condition: ($, _, variant) =>
      variant === 'none' ? sql`tasks.parent_id is null` : sql`tasks.parent_id = ${$.parent_id}`,
    index: {
      scope: 'workspace',
      find: ($) => sql`select id from tasks
        where workspace_id = ${$.workspace_id} and parent_id = ${$.parent_id}`,
    },
  },
  assignee_id: {
    read: (ids, tx) => useIdsOrNone(ids, { assignee_id: resolveMe(tx, ids.filter(isNamed)) }),
    condition: ($, { inList }, variant) =>
      linkedOrNone(
        sql`exists (select 1 from task_assignees as a
          where a.workspace_id = ${$.workspace_id} and a.task_id = tasks.id
            and ${inList('a.user_id', $.assignee_id)})`,
        sql`tasks.assignee_ids = '[]'`,
        variant,
      ),
    index: {
      scope: 'workspace',
      find: linkedTasks('task_assignees', 'user_id', ($) => $.assignee_id),
    },
  },
  tag_id: {
    read: (ids) => useIdsOrNone(ids, { tag_id: ids.filter(isNamed) }),
    condition: ($, { inList }, variant) =>
      linkedOrNone(
        sql`exists (select 1 from task_tags as t
          where t.workspace_id = ${$.workspace_id} and t.task_id = tasks.id
            and ${inList('t.tag_id', $.tag_id)})`,
        sql`tasks.tag_ids = '[]'`,
        variant,
      ),
    index: {
      scope: 'workspace',
      find: linkedTasks('task_tags', 'tag_id', ($) => $.tag_id),
    },
  },
  created_by_id: {
    read: (ids, tx) => ({ values: { created_by_id: resolveMe(tx, ids) } }),
    condition: ($, { inList }) => inList('tasks.created_by_id', $.created_by_id),
    index: {
      scope: 'workspace',
      find: ($, { inList }) => sql`select id from tasks
        where workspace_id = ${$.workspace_id} and ${inList('created_by_id', $.created_by_id)}`,
    },
  },
  status: {
    read: (status) => ({ values: { status } }),
    condition: ($, { inList }) => inList('tasks.status', $.status),
    index: {
      scope: 'project',
      range: 'status',
      condition: ($, { inList }) => inList(sql`status.value ->> 'key'`, $.status),
    },
  },
  priority: {
    read: (names) => ({ values: { priority_rank: names.map((name) => PRIORITIES.indexOf(name)) } }),
    condition: ($, { inNumberList }) => inNumberList('tasks.priority_rank', $.priority_rank),
    index: { scope: 'project', range: 'priority_rank' },
  },
  created_after: {
    read: (created_after) => ({
      values: { created_after, first_id: firstIdAt('tsk', Date.parse(created_after)) },
    }),
    condition: ($) => sql`tasks.created_at >= ${$.created_after}`,
    index: { scope: 'project', range: 'id', condition: ($) => sql`tasks.id >= ${$.first_id}` },
  },
  created_before: {
    read: (created_before) => ({
      values: { created_before, end_id: firstIdAt('tsk', Date.parse(created_before)) },
    }),
    condition: ($) => sql`tasks.created_at < ${$.created_before}`,
    index: { scope: 'project', range: 'id', condition: ($) => sql`tasks.id < ${$.end_id}` },
  },
  updated_since: {
    read: (updated_since) => ({ values: { updated_since } }),
    condition: ($) => sql`tasks.updated_at >= ${$.updated_since}`,
    index: { scope: 'project', range: 'updated_at' },
  },
  due_after: {
    read: (due_after) => ({ values: { due_after } }),
    condition: ($) => sql`tasks.due_date >= ${$.due_after}`,
    index: { scope: 'project', range: 'due_date' },
  },
  due_before: {
    read: (due_before) => ({ values: { due_before } }),
    condition: ($) => sql`tasks.due_date < ${$.due_before}`,
    index: { scope: 'project', range: 'due_date' },
  },
  completed_after: {
    read: (completed_after) => ({ values: { completed_after } }),
    condition: ($) => sql`tasks.completed_at >= ${$.completed_after}`,
    index: { scope: 'project', range: 'completed_at' },
  },
  completed_before: {
    read: (completed_before) => ({ values: { completed_before } }),
    condition: ($) => sql`tasks.completed_at < ${$.completed_before}`,
    index: { scope: 'project', range: 'completed_at' },
  },
  project_id: {
    read: (project_id) => ({ values: { project_id } }),
    condition: ($, { inList }) => inList('tasks.project_id', $.project_id),
    index: {
      scope: 'workspace',
      find: ($, { inList }) => sql`select id from tasks
        where workspace_id = ${$.workspace_id} and ${inList('project_id', $.project_id)}`,
    },
  },
  id: {
    read: (names, tx) =>
      andThen(awaitAll(names.map((name) => resolveTaskId(tx, name))), (id) => ({ values: { id } })),
    condition: ($, { inList }) => inList('tasks.id', $.id),
    index: {
      scope: 'workspace',
      find: ($, { inList }) => sql`select id from tasks
        where workspace_id = ${$.workspace_id} and ${inList('id', $.id)}`,
    },
  },
  status_category: {
    read: (status_category) => ({ values: { status_category } }),
    condition: ($, { inList }) => inList('tasks.status_category', $.status_category),
    index: {
      scope: 'project',
      range: 'status',
      condition: ($, { inList }) => inList(CATEGORY_OF_STATUS, $.status_category),
    },
  },
  completed: {
    read: (isCompleted) => ({
      values: {
        completed: STATUS_CATEGORIES.filter(
          (category) => (category === 'completed') === isCompleted,
        ),
      },
    }),
    condition: ($, { inList }) => inList('tasks.status_category', $.completed),
    index: {
      scope: 'project',
      range: 'status',
      condition: ($, { inList }) => inList(CATEGORY_OF_STATUS, $.completed),
    },
  },
  // Few tasks have an id of a source, so it is looked up before the source.
  external_id: {
    read: (external_id) => ({ values: { external_id } }),
    condition: ($) => sql`tasks.external_id = ${$.external_id}`,
    index: externalIndex(($) => sql`external_id = ${$.external_id}`),
  },
  external_source: {
    read: (external_source) => ({ values: { external_source } }),
    condition: ($) => sql`tasks.external_source = ${$.external_source}`,
    index: externalIndex(() => sql`external_id is not null`),
  },
  q: {
    async read(q, tx) {
      const search = toIndexQuery(tx.actor.workspace_id, extractQueryWords(q))
      if (search === '') return { variant: 'nothing' }
      const searched_id = await idOfShortId(tx, q.trim())
      return searched_id === undefined
        ? { values: { search } }
        : { values: { search, searched_id }, variant: OR_SHORT_ID }
    },
    condition: ($, { taskHasWords }, variant) =>
      wordsOrShortId($, taskHasWords('tasks', $.workspace_id, $.search), variant),
    // A page of a common word would otherwise cost the more, the more tasks have the word.
    pageCondition: ($, { taskTextHasWords }, variant) =>
      wordsOrShortId($, taskTextHasWords('tasks', $.workspace_id, $.search), variant),
    index: {
      scope: 'workspace',
      variant: OR_SHORT_ID,
      find: ($, { selectTasksWithWords }) =>
        sql`${selectTasksWithWords($.workspace_id, $.search)}
          union all select id from tasks
          where workspace_id = ${$.workspace_id} and id = ${$.searched_id}`,
    },
  },
  deleted: {
    read: (variant, tx) => ({
      variant,
      values: { trash_since: trashSince(tx.nowMs) },
    }),
    condition($, _, variant) {
      if (variant === 'exclude') return sql`tasks.deleted_at is null`
      if (variant === 'only') return sql`tasks.deleted_at > ${$.trash_since}`
      return sql`(tasks.deleted_at is null or tasks.deleted_at > ${$.trash_since})`
    },
  },
}
