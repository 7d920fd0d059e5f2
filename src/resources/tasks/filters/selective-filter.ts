import { type RawBuilder, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { ProjectRow } from '#db/schema/tables.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import {
  type FinderParams,
  TASK_FILTER_DEFINITIONS,
  type TaskFilterName,
  type TaskFilterValues,
} from './task-filters.ts'

/**
 * A page of many matches is read fastest by walking along its order until it is full, and one of few
 * by finding and sorting them. Neither engine can tell which it is, so each filter that has an index
 * is counted up to a limit: the first with fewer matches gives the ids, else the page walks.
 *
 * To sort a task takes about twice as long as to walk past one, and a walk for 50 of `m` matches among
 * `n` tasks passes 50 n / m. Both take as long at m = 5 √n: 158 of 1,000 tasks, 1,581 of 100,000, where
 * either takes 5 to 10 ms.
 */
const selectionLimit = (tasks: number) => Math.ceil(5 * Math.sqrt(tasks))

/** A filter that a request uses, with its variant if the filter has several. */
export interface UsedFilter {
  name: TaskFilterName
  variant?: string
}

interface IndexShape {
  /** The filters, which narrow one index together. */
  names: readonly TaskFilterName[]
  isOfProject: boolean
}

interface Matches {
  count: number
  /** Separated by spaces; null if there are none, or too many. */
  ids: string | null
}

/** How many tasks the filters match, up to a limit, and their ids if there are fewer. */
const selectMatches = memoizeByShape((shape: IndexShape) =>
  query((db, $: FinderParams, dialect) => {
    // Counted first, since most filters are answered by that: to join the ids takes twice as long.
    const ids = sql`(${findIds($, dialect, shape)} limit ${$.limit}) as found`
    return rawStatement(
      db,
      sql<Matches>`select count, case when count < ${$.limit}
          then (select string_agg(id, ' ') from ${ids}) end as ids
        from (select count(*) as count from ${ids}) as counted`,
    )
  }),
)

function findIds(
  $: FinderParams,
  dialect: Dialect,
  { names, isOfProject }: IndexShape,
): RawBuilder<unknown> {
  const conditions = [
    sql`tasks.workspace_id = ${$.workspace_id}`,
    sql`tasks.project_id = projects.id`,
  ]
  let [values, order] = [sql``, 'id']
  for (const name of names) {
    const { index, condition } = TASK_FILTER_DEFINITIONS[name]
    // An index of the workspace serves one filter alone.
    if (index?.scope === 'workspace') return index.find($, dialect)
    conditions.push((index?.condition ?? condition)($, dialect))
    if (index) order = index.range
  }
  if (order === 'status') {
    // Each project has its own statuses.
    values = sql`cross join ${dialect.jsonElements(sql`projects.statuses`)} as status`
    conditions.push(sql`tasks.status = status.value ->> 'key'`)
    order = 'id'
  }
  const matches = sql.join(conditions, sql` and `)
  // PostgreSQL, which does not know how few tasks have a value, would read all of them (6,000 pages
  // among 100,000), but not in the order of the index.
  const tasks =
    dialect.engine === 'sqlite'
      ? sql`tasks where ${matches} and`
      : sql`lateral (select id from tasks where ${matches}
          order by ${sql.ref(order)} limit ${$.limit}) as tasks where`
  // In a list of all projects the index is read once for each of them, about 1 µs.
  return sql`select tasks.id from projects ${values} cross join ${tasks}
    projects.workspace_id = ${$.workspace_id}
    and ${isOfProject ? sql`projects.id = ${$.list_project_id}` : sql`${isProjectVisible($)}`}`
}

/** The filters of a request that have an index, each with those that narrow it together. */
function groupByIndex(filters: readonly UsedFilter[]): TaskFilterName[][] {
  const groups = new Map<string, TaskFilterName[]>()
  const excludesDeleted = filters.some((of) => of.name === 'deleted' && of.variant === 'exclude')
  for (const { name, variant } of filters) {
    const { index } = TASK_FILTER_DEFINITIONS[name]
    if (!index) continue
    const ofWorkspace = index.scope === 'workspace' ? index : undefined
    if (variant !== undefined && variant !== ofWorkspace?.variant) continue
    if (ofWorkspace?.isOfUndeleted && !excludesDeleted) continue
    const key = index.scope === 'project' ? index.range : name
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  return [...groups.values()]
}

const selectTaskCount = query((db, $: Scoped) =>
  rawStatement(
    db,
    sql<{ count: number }>`select coalesce(sum(last_number), 0) as count from projects
      where workspace_id = ${$.workspace_id} and ${isProjectVisible($)}`,
  ),
)

/** The ids of the tasks that match a selective filter; undefined if none of the filters is selective. */
export function findSelectedIds(
  tx: ReadTx,
  filters: readonly UsedFilter[],
  values: TaskFilterValues,
  project: Pick<ProjectRow, 'last_number'> | undefined,
): MaybePromise<readonly string[] | undefined> {
  const groups = groupByIndex(filters)
  return groups.length === 0 ? undefined : findFirstSelective(tx, groups, values, project)
}

async function findFirstSelective(
  tx: ReadTx,
  groups: readonly TaskFilterName[][],
  values: TaskFilterValues,
  project: Pick<ProjectRow, 'last_number'> | undefined,
): Promise<readonly string[] | undefined> {
  const isOfProject = project !== undefined
  const tasks = project?.last_number ?? (await tx.one(selectTaskCount, {}))?.count ?? 0
  const limit = selectionLimit(tasks) + 1
  for (const names of groups) {
    const matches = await tx.one(selectMatches({ names, isOfProject }), { ...values, limit })
    if (matches && matches.count < limit) return matches.ids?.split(' ') ?? []
  }
  return undefined
}
