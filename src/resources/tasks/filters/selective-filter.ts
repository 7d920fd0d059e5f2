import { type RawBuilder, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import {
  TASK_FILTER_DEFINITIONS,
  type TaskFilterName,
  type TaskFilterValues,
} from './task-filters.ts'

/**
 * If a filter matches few tasks, it is fastest to find and sort them; if it matches many, to scan
 * the sort index until the page is full. The wrong choice takes longer the more tasks there are,
 * and neither database engine can tell which case it is, so the matches are counted up to this
 * limit first. Sorting that many tasks takes about as long as scanning past a hundred times as
 * many.
 */
const MAX_SELECTED = 500

/** A filter that a request uses, with its variant if the filter has several. */
export interface UsedFilter {
  name: TaskFilterName
  variant?: string
}

type FinderParams = Scoped<TaskFilterValues & { limit: number }>
type IdFinder = ($: FinderParams, dialect: Dialect) => RawBuilder<unknown>

/** Statements for the ids that a finder returns, up to a limit, and for their number. */
const statementsOf = (finder: IdFinder) => {
  const limitedIds = ($: FinderParams, dialect: Dialect) =>
    sql<{ id: string }>`select id from (${finder($, dialect)} limit ${$.limit}) as found`
  return {
    ids: query((db, $: FinderParams, dialect) => rawStatement(db, limitedIds($, dialect))),
    count: query((db, $: FinderParams, dialect) => {
      const found = limitedIds($, dialect)
      const counted = sql<{ count: number }>`select count(*) as count from (${found}) as counted`
      return rawStatement(db, counted)
    }),
  }
}

type FinderStatements = ReturnType<typeof statementsOf>

const wordFinder =
  (whole: boolean): IdFinder =>
  ($, { selectTasksWithWords }) =>
    selectTasksWithWords($.workspace_id, $.search, whole)
const [WHOLE_WORDS, WORD_PREFIXES] = [
  statementsOf(wordFinder(true)),
  statementsOf(wordFinder(false)),
]

/** The statements that find the matches of these filters by their common index. */
const indexStatements = memoizeByShape((names: readonly TaskFilterName[]) =>
  statementsOf(($, dialect) => {
    const conditions: RawBuilder<unknown>[] = []
    for (const name of names) {
      const { index, condition } = TASK_FILTER_DEFINITIONS[name]
      // An index of the workspace serves one filter alone.
      if (index?.scope === 'workspace') return index.find($, dialect)
      conditions.push((index?.condition ?? condition)($, dialect))
    }
    return sql`select id from tasks where workspace_id = ${$.workspace_id}
      and project_id = ${$.list_project_id} and ${sql.join(conditions, sql` and `)}`
  }),
)

/** The filters of a request that have an index, each with those that narrow it together. */
function groupByIndex(filters: readonly UsedFilter[], isOfProject: boolean): TaskFilterName[][] {
  const groups = new Map<string, TaskFilterName[]>()
  for (const { name, variant } of filters) {
    const { index } = TASK_FILTER_DEFINITIONS[name]
    if (!index || variant !== undefined || (index.scope === 'project' && !isOfProject)) continue
    const key = index.scope === 'project' ? index.range : name
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  return [...groups.values()]
}

/** The tasks that a selective filter has found, and whether that filter is the search. */
interface SelectedTasks {
  ids: readonly string[]
  isByWords: boolean
}

/** The tasks that match a selective filter; undefined if none of the filters is selective. */
export function findSelectedIds(
  tx: ReadTx,
  filters: readonly UsedFilter[],
  values: TaskFilterValues,
): MaybePromise<SelectedTasks | undefined> {
  const groups = groupByIndex(filters, values.list_project_id !== '')
  if (groups.length === 0 && values.search === '') return undefined
  return countAndFindIds(tx, groups, values)
}

async function countAndFindIds(
  tx: ReadTx,
  groups: readonly TaskFilterName[][],
  values: TaskFilterValues,
): Promise<SelectedTasks | undefined> {
  const params = { ...values, limit: MAX_SELECTED + 1 }
  const isSelective = async ({ count }: FinderStatements) =>
    ((await tx.one(count, params))?.count ?? 0) <= MAX_SELECTED
  const idsOf = async ({ ids }: FinderStatements) => [
    ...new Set((await tx.all(ids, params)).map(({ id }) => id)),
  ]
  for (const names of groups) {
    const statements = indexStatements(names)
    if (await isSelective(statements)) return { ids: await idsOf(statements), isByWords: false }
  }
  // A prefix search collects all matches before it returns one, so whole words are tried first.
  if (
    values.search === '' ||
    !(await isSelective(WHOLE_WORDS)) ||
    !(await isSelective(WORD_PREFIXES))
  )
    return undefined
  const ids = await idsOf(WORD_PREFIXES)
  return { ids: values.searched_id === '' ? ids : [...ids, values.searched_id], isByWords: true }
}
