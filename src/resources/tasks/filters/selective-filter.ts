import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { ProjectRow } from '#db/schema/tables.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { STATUS_CATEGORIES, type StatusCategory } from '#resources/projects/contract.ts'
import { parseStatuses } from '../project-context.ts'
import {
  type EachValue,
  eachValue,
  TASK_FILTER_DEFINITIONS,
  type TaskFilterName,
  type TaskFilterValues,
} from './task-filters.ts'

/**
 * If a filter matches few tasks, it is fastest to find and sort them; if it matches many, to walk along
 * the order until the page is full. The wrong choice takes longer the more tasks there are, and
 * neither database engine can tell which case it is, so the matches are counted up to a limit first.
 *
 * To sort a task takes about twice as long as to walk past one, and a walk for 50 of `m` matches among
 * `n` tasks passes 50 n / m. Both take as long at m = 5 √n. The most bounds what counting costs a page
 * that many tasks match: a tenth of a millisecond. To count the tasks of a word takes twice as long.
 */
const selectionLimit = (tasks: number) => Math.min(Math.ceil(5 * Math.sqrt(tasks)), 1_600)
const MAX_COUNTED_OF_WORD = 800

/** A filter that a request uses, with its variant if the filter has several. */
export interface UsedFilter {
  name: TaskFilterName
  variant?: string
}

/** How many tasks of a common word are tested for the other words, and how many must have them. */
const SAMPLE = { size: 50, least: 3 }

/** If a word has no more tasks than this, testing them is cheaper than counting those of another word. */
const MAX_TESTED_AT_ONCE = 30

/** `limit` is one more than how many tasks are few. */
type FinderValues = TaskFilterValues & {
  limit: number
  word: string
  categories: readonly StatusCategory[]
  /** The keys of the statuses of the project that are of these categories. */
  statuses: readonly string[]
}
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

interface IndexShape {
  names: readonly TaskFilterName[]
  isOfProject: boolean
}

/**
 * The statements that find the matches of these filters by their common index. In a list of all
 * projects it is read once for each of them, which is much less than to read all tasks.
 */
const indexStatements = memoizeByShape(({ names, isOfProject }: IndexShape) =>
  statementsOf(($, dialect) => {
    const conditions: RawBuilder<unknown>[] = []
    for (const name of names) {
      const { index, condition } = TASK_FILTER_DEFINITIONS[name]
      if (index?.scope === 'project' && index.each && dialect.engine === 'postgres')
        return tasksOfEachValue($, index.range, index.each, isOfProject)
      // An index of the workspace serves one filter alone.
      if (index?.scope === 'workspace') return index.find($, dialect)
      conditions.push((index?.condition ?? condition)($, dialect))
    }
    const condition = sql.join(conditions, sql` and `)
    return isOfProject
      ? sql`select id from tasks where workspace_id = ${$.workspace_id}
          and project_id = ${$.list_project_id} and ${condition}`
      : sql`select tasks.id from projects cross join tasks
          where projects.workspace_id = ${$.workspace_id} and ${isProjectVisible($)}
          and tasks.workspace_id = ${$.workspace_id} and tasks.project_id = projects.id
          and ${condition}`
  }),
)

/**
 * The tasks with one of some values, of each in the order of the index: otherwise PostgreSQL, which does
 * not know how few tasks have them, would read all tasks.
 */
const tasksOfEachValue = (
  $: FinderParams,
  column: string,
  { values, order }: EachValue,
  isOfProject: boolean,
) => {
  const project = isOfProject ? sql`${$.list_project_id}` : sql`projects.id`
  const tasks = sql`${eachValue(values($))} cross join lateral (
    select id from tasks where workspace_id = ${$.workspace_id} and project_id = ${project}
      and ${sql.ref(column)} = wanted.value order by ${sql.ref(order)} limit ${$.limit}) as found`
  return isOfProject
    ? sql`select found.id from ${tasks}`
    : sql`select found.id from projects cross join ${tasks}
        where projects.workspace_id = ${$.workspace_id} and ${isProjectVisible($)}`
}

/**
 * The tasks of some people with some tags. It reads the tasks of the people until enough have a tag, from
 * indexes alone, which takes a fifth of the time of a walk past tasks.
 */
const ASSIGNED_AND_TAGGED = statementsOf(
  ($, { inList }) => sql`select a.task_id as id from task_assignees as a cross join task_tags as t
    where a.workspace_id = ${$.workspace_id} and ${inList('a.user_id', $.assignee_id)}
    and t.workspace_id = ${$.workspace_id} and ${inList('t.tag_id', $.tag_id)}
    and t.task_id = a.task_id`,
)
/** If more tasks have both, a walk soon meets enough of them. */
const MAX_IN_COMMON = 200

/** The tasks whose status is of some categories, each project having its own statuses. */
const categoryStatements = memoizeByShape((isOfProject: boolean) =>
  statementsOf(($, { jsonElements, inList }) =>
    isOfProject
      ? sql`select id from tasks where workspace_id = ${$.workspace_id}
          and project_id = ${$.list_project_id} and ${inList('tasks.status', $.statuses)}`
      : sql`select tasks.id from projects
          cross join ${jsonElements(sql`projects.statuses`)} as status cross join tasks
          where projects.workspace_id = ${$.workspace_id} and ${isProjectVisible($)}
          and ${inList(sql`status.value ->> 'category'`, $.categories)}
          and tasks.workspace_id = ${$.workspace_id} and tasks.project_id = projects.id
          and tasks.status = status.value ->> 'key'`,
  ),
)

/** What finders use of the project of a list. */
type ProjectToSearch = Pick<ProjectRow, 'last_number' | 'statuses'>

/** The statuses of a project that are of some categories. */
const findStatuses = (project: ProjectToSearch, categories: readonly StatusCategory[]) =>
  parseStatuses(project.statuses)
    .filter(({ category }) => categories.includes(category))
    .map(({ key }) => key)

/** The filters of a request that have an index, each with those that narrow it together. */
function groupByIndex(filters: readonly UsedFilter[]): TaskFilterName[][] {
  const groups = new Map<string, TaskFilterName[]>()
  for (const { name, variant } of filters) {
    const { index } = TASK_FILTER_DEFINITIONS[name]
    if (!index || variant !== undefined) continue
    if (index.scope === 'workspace' && index.isOfUndeleted && !hasNoDeleted(filters)) continue
    const key = index.scope === 'project' ? index.range : name
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  return [...groups.values()]
}

const hasNoDeleted = (filters: readonly UsedFilter[]) =>
  filters.some(({ name, variant }) => name === 'deleted' && variant === 'exclude')

/** The categories to which the filters narrow a list of tasks that are not deleted, if they do. */
function findCategories(
  filters: readonly UsedFilter[],
  { status_category }: TaskFilterValues,
): readonly StatusCategory[] | undefined {
  const variantOf = (of: TaskFilterName) => filters.find(({ name }) => name === of)?.variant
  const completed = variantOf('completed')
  if (variantOf('deleted') !== 'exclude') return undefined
  if (completed === undefined && status_category.length === 0) return undefined
  return STATUS_CATEGORIES.filter(
    (category) =>
      (status_category.length === 0 || status_category.includes(category)) &&
      (completed === undefined || (completed === 'completed') === (category === 'completed')),
  )
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
  project: ProjectToSearch | undefined,
): MaybePromise<SelectedTasks | undefined> {
  const groups = groupByIndex(filters)
  const categories = findCategories(filters, values)
  if (groups.length === 0 && !categories && values.search === '') return undefined
  return countAndFindIds(tx, { groups, categories }, values, project)
}

interface PossibleFinders {
  groups: readonly TaskFilterName[][]
  categories: readonly StatusCategory[] | undefined
}

async function countAndFindIds(
  tx: ReadTx,
  { groups, categories }: PossibleFinders,
  values: TaskFilterValues,
  project: ProjectToSearch | undefined,
): Promise<SelectedTasks | undefined> {
  const { list_project_id, searched_id } = values
  const isOfProject = project !== undefined
  const totals = isOfProject && !categories ? undefined : await readTaskTotals(tx, list_project_id)
  const limit = selectionLimit(project?.last_number ?? totals?.created ?? 0) + 1
  const params: FinderValues = {
    ...values,
    limit,
    word: '',
    categories: categories ?? [],
    statuses: project && categories ? findStatuses(project, categories) : [],
  }
  const inCategories = totals && categories?.reduce((sum, category) => sum + totals[category], 0)
  if (inCategories !== undefined && inCategories < limit) {
    const ids = inCategories === 0 ? [] : await readIds(tx, categoryStatements(isOfProject), params)
    if (ids) return { ids, isByWords: false }
  }
  for (const names of groups) {
    const ids = await findIds(tx, indexStatements({ names, isOfProject }), params)
    if (ids) return { ids, isByWords: false }
  }
  if (areAssignedAndTagged(groups)) {
    const few = { ...params, limit: Math.min(limit, MAX_IN_COMMON + 1) }
    const ids = await findIds(tx, ASSIGNED_AND_TAGGED, few)
    if (ids) return { ids, isByWords: false }
  }
  const found = values.search === '' ? undefined : await findByWords(tx, params)
  if (!found || searched_id === '') return found
  return { ...found, ids: [...found.ids, searched_id] }
}

/** Whether a request names both people and tags, and not also tasks without any. */
const areAssignedAndTagged = (groups: readonly TaskFilterName[][]) =>
  (['assignee_id', 'tag_id'] as const).every((name) => groups.some(([only]) => only === name))

/**
 * Starts from the rarest word, whose tasks are few enough to test them for the other words: to find
 * the tasks with all words, the index would read all matches of each.
 */
async function findByWords(tx: ReadTx, params: FinderValues): Promise<SelectedTasks | undefined> {
  // Long words are usually rarer.
  const words = params.search.split(' ').toSorted((a, b) => b.length - a.length)
  const limit = Math.min(params.limit, MAX_COUNTED_OF_WORD + 1)
  let rarest = { word: '', count: limit }
  // If a word is very rare, it is found without counting many tasks of the others.
  const limits = words.length > 1 ? [MAX_TESTED_AT_ONCE + 1, limit] : [limit]
  for (const few of limits) {
    for (const word of words) {
      const count = await countIds(tx, ONE_WORD, { ...params, word, limit: few })
      if (count < Math.min(few, rarest.count)) rarest = { word, count }
    }
    if (rarest.word !== '') break
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
  if ((await countIds(tx, WHOLE_WORDS, params)) === params.limit) return undefined
  const ids = await findIds(tx, WORD_PREFIXES, params)
  return ids && { ids, isByWords: true }
}

/** Counts first, because most filters that are not selective are answered by that. */
const findIds = async (tx: ReadTx, statements: FinderStatements, params: FinderValues) =>
  (await countIds(tx, statements, params)) === params.limit
    ? undefined
    : readIds(tx, statements, params)

async function countIds(tx: ReadTx, { count }: FinderStatements, params: FinderValues) {
  return (await tx.one(count, params))?.count ?? 0
}

/** The ids; undefined if there are too many by now, because tasks were added since they were counted. */
async function readIds(tx: ReadTx, { ids }: FinderStatements, params: FinderValues) {
  const rows = await tx.all(ids, params)
  return rows.length === params.limit ? undefined : [...new Set(rows.map(({ id }) => id))]
}

/** How many tasks the projects of a list have. */
interface TaskTotals extends Record<StatusCategory, number> {
  /** All that were ever created, of which some may be deleted or moved. */
  created: number
}

type ListedProjects = Scoped<{ list_project_id: string }>

/** Whether the tasks of a project are in a list: of one project, or of all that the actor sees. */
const isProjectListed = ($: ListedProjects, isOfProject: boolean): RawBuilder<SqlBool> =>
  isOfProject ? sql`projects.id = ${$.list_project_id}` : sql`${isProjectVisible($)}`

const totals = memoizeByShape((isOfProject: boolean) =>
  query((db, $: ListedProjects) => {
    const columns = STATUS_CATEGORIES.map(
      (category) => sql`coalesce(sum(${sql.ref(`${category}_count`)}), 0) as ${sql.ref(category)}`,
    )
    return rawStatement(
      db,
      sql<TaskTotals>`select coalesce(sum(last_number), 0) as created, ${sql.join(columns)}
        from projects where workspace_id = ${$.workspace_id} and ${isProjectListed($, isOfProject)}`,
    )
  }),
)

const NO_TASKS: TaskTotals = {
  created: 0,
  backlog: 0,
  unstarted: 0,
  started: 0,
  completed: 0,
  canceled: 0,
}

/** Reads the totals of one project, or of all that the actor sees if its id is empty. */
async function readTaskTotals(tx: ReadTx, list_project_id: string): Promise<TaskTotals> {
  const statement = totals(list_project_id !== '')
  return (await tx.one(statement, { list_project_id })) ?? NO_TASKS
}
