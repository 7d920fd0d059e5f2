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

/** How many tasks of a common word are tested for the other words, and how many must have them. */
const SAMPLE = { size: 50, least: 3 }

/** If a word has no more tasks than this, testing them is cheaper than counting those of another word. */
const MAX_TESTED_AT_ONCE = 30

type FinderValues = TaskFilterValues & { limit: number; word: string }
type FinderParams = Scoped<FinderValues>
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

const wordsFinder =
  (whole: boolean): IdFinder =>
  ($, { selectTasksWithWords }) =>
    selectTasksWithWords($.workspace_id, $.search, whole)
const [WHOLE_WORDS, WORD_PREFIXES] = [
  statementsOf(wordsFinder(true)),
  statementsOf(wordsFinder(false)),
]
const ONE_WORD = statementsOf(($, { selectTasksWithWord }) =>
  selectTasksWithWord($.workspace_id, $.word),
)

/** How many of the first tasks with one word have all words. */
const countInSample = query((db, $: FinderParams, dialect) =>
  rawStatement(
    db,
    sql<{ count: number }>`select count(*) as count
      from (${dialect.selectTasksWithWord($.workspace_id, $.word)} limit ${$.limit}) as sample
      cross join tasks
      where tasks.workspace_id = ${$.workspace_id} and tasks.id = sample.id
        and ${dialect.taskTextHasWords('tasks', $.workspace_id, $.search)}`,
  ),
)

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

/** The tasks that a selective filter has found. */
interface SelectedTasks {
  ids: readonly string[]
  /** Whether that filter is the search, and all these tasks have its words. */
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
  const params = { ...values, limit: MAX_SELECTED + 1, word: '' }
  for (const names of groups) {
    const statements = indexStatements(names)
    const ids = await findIds(tx, statements, params)
    if (ids) return { ids, isByWords: false }
  }
  const found = values.search === '' ? undefined : await findByWords(tx, params)
  if (!found || values.searched_id === '') return found
  return { ...found, ids: [...found.ids, values.searched_id] }
}

/**
 * Starts from the rarest word, whose tasks are few enough to test them for the other words: to find
 * the tasks with all words, the index would read all matches of each.
 */
async function findByWords(tx: ReadTx, params: FinderValues): Promise<SelectedTasks | undefined> {
  // Long words are usually rarer.
  const words = params.search.split(' ').toSorted((a, b) => b.length - a.length)
  let rarest = { word: '', count: MAX_SELECTED + 1 }
  for (const word of words) {
    const count = await countIds(tx, ONE_WORD, { ...params, word })
    if (count < rarest.count) rarest = { word, count }
    if (count <= MAX_TESTED_AT_ONCE) break
  }
  const isByWords = words.length === 1
  if (rarest.word !== '') {
    const ids = await readIds(tx, ONE_WORD, { ...params, word: rarest.word })
    return ids && { ids, isByWords }
  }
  if (isByWords) return undefined
  // All words are common, and usually so are tasks that have all of them: a sample shows it.
  const sample = { ...params, word: words[0] ?? '', limit: SAMPLE.size }
  if (((await tx.one(countInSample, sample))?.count ?? 0) >= SAMPLE.least) return undefined
  // A prefix search collects all matches before it returns one, so whole words are tried first.
  if ((await countIds(tx, WHOLE_WORDS, params)) > MAX_SELECTED) return undefined
  const ids = await findIds(tx, WORD_PREFIXES, params)
  return ids && { ids, isByWords: true }
}

/** Counts first, because most filters that are not selective are answered by that. */
const findIds = async (tx: ReadTx, statements: FinderStatements, params: FinderValues) =>
  (await countIds(tx, statements, params)) > MAX_SELECTED
    ? undefined
    : readIds(tx, statements, params)

async function countIds(tx: ReadTx, { count }: FinderStatements, params: FinderValues) {
  return (await tx.one(count, params))?.count ?? 0
}

/** The ids; undefined if there are too many by now, because tasks were added since they were counted. */
async function readIds(tx: ReadTx, { ids }: FinderStatements, params: FinderValues) {
  const rows = await tx.all(ids, params)
  return rows.length > MAX_SELECTED ? undefined : [...new Set(rows.map(({ id }) => id))]
}
