import { type RawBuilder, sql } from 'kysely'
import type { ReadTx } from '#core/tx.ts'
import { firstIdAt } from '#lib/id.ts'
import type { Dialect } from '#storage/dialect.ts'
import { compiled, query, type Scoped } from '#storage/statement.ts'
import type { Filters } from './listed.ts'

/**
 * A filter that leaves few tasks of many is answered by finding those and sorting them; one that
 * leaves many, by walking in order until the page is full. To sort many, or to walk past all the
 * others, would take the longer the more tasks there are. Neither engine can tell which it is, so it
 * is tried: to sort this many takes about as long as to walk past a hundred times as many.
 */
const FEW = 500

/** Filters, with the first id of a task made in the window asked for, and the first made after it. */
type Limited = Scoped<Filters & { limit: number; made_from: string; made_before: string }>
type Finder = ($: Limited, dialect: Dialect) => RawBuilder<unknown>

interface Way {
  /** It can be taken when one of these is asked for. */
  filters: readonly (keyof Filters)[]
  /** Its index is led by the project. */
  inProject: boolean
  finder: Finder
}

const tasksIn = ($: Limited, condition: RawBuilder<unknown>) =>
  sql`select id from tasks where workspace_id = ${$.workspace_id}
    and project_id = ${$.project_id} and ${condition}`

/** How filters find the ids of their tasks without a look at others. */
const WAYS: readonly Way[] = [
  {
    filters: ['parent_id'],
    inProject: false,
    finder: ($) => sql`select id from tasks
      where workspace_id = ${$.workspace_id} and parent_id = ${$.parent_id}`,
  },
  {
    filters: ['assignees'],
    inProject: false,
    finder: ($, { among }) => sql`select task_id as id from task_assignees
      where workspace_id = ${$.workspace_id} and ${among('user_id', $.assignees)}`,
  },
  {
    filters: ['tags'],
    inProject: false,
    finder: ($, { among }) => sql`select task_id as id from task_tags
      where workspace_id = ${$.workspace_id} and ${among('tag_id', $.tags)}`,
  },
  {
    filters: ['created_by'],
    inProject: false,
    finder: ($, { among }) => sql`select id from tasks
      where workspace_id = ${$.workspace_id} and ${among('created_by_id', $.created_by)}`,
  },
  {
    filters: ['status'],
    inProject: true,
    finder: ($, { among }) => tasksIn($, among('status', $.status)),
  },
  {
    filters: ['ranks'],
    inProject: true,
    finder: ($, { amongNumbers }) => tasksIn($, amongNumbers('priority_rank', $.ranks)),
  },
  {
    filters: ['created_after', 'created_before'],
    inProject: true,
    finder: ($) => tasksIn($, sql`id >= ${$.made_from} and id < ${$.made_before}`),
  },
  {
    filters: ['updated_since'],
    inProject: true,
    finder: ($) => tasksIn($, sql`updated_at >= ${$.updated_since}`),
  },
  {
    filters: ['due_after', 'due_before'],
    inProject: true,
    finder: ($) => tasksIn($, sql`due_date >= ${$.due_after} and due_date < ${$.due_before}`),
  },
  {
    filters: ['completed_after', 'completed_before'],
    inProject: true,
    finder: ($) =>
      tasksIn(
        $,
        sql`completed_at >= ${$.completed_after} and completed_at < ${$.completed_before}`,
      ),
  },
]

const words =
  (whole: boolean): Finder =>
  ($, { withWords }) =>
    withWords($.workspace_id, $.search, whole)

/** The ids that a finder finds, up to a limit; and only how many they are. */
const found = (finder: Finder) => {
  const some = ($: Limited, dialect: Dialect) =>
    sql<{ id: string }>`select id from (${finder($, dialect)} limit ${$.limit}) as found`
  return {
    ids: query((db, $: Limited, dialect) => compiled(db, some($, dialect))),
    count: query((db, $: Limited, dialect) =>
      compiled(
        db,
        sql<{ count: number }>`select count(*) as count from (${some($, dialect)}) as counted`,
      ),
    ),
  }
}

const BY_FILTER = WAYS.map((way) => ({ ...way, ...found(way.finder) }))
const [WHOLE, BEGUN] = [found(words(true)), found(words(false))]

/** The ids of the tasks that a filter leaves, if they are few, and whether it was the search. */
export async function fewOf(tx: ReadTx, filters: Filters, given: ReadonlySet<string>) {
  const { created_after, created_before } = filters
  const args = {
    ...filters,
    limit: FEW + 1,
    made_from: created_after === '' ? '' : firstIdAt('tsk', Date.parse(created_after)),
    made_before: given.has('created_before') ? firstIdAt('tsk', Date.parse(created_before)) : LAST,
  }
  const few = async ({ count }: typeof WHOLE) => ((await tx.one(count, args))?.count ?? 0) <= FEW
  for (const way of BY_FILTER) {
    const known = way.filters.some((name) => given.has(name))
    if (!known || (way.inProject && !given.has('project_id'))) continue
    if (await few(way)) return { searched: false, ids: idsOf(await tx.all(way.ids, args)) }
  }
  // All the beginnings of words are gathered before the first is told: not where whole words tell.
  if (!given.has('search') || !(await few(WHOLE)) || !(await few(BEGUN))) return undefined
  return { searched: true, ids: idsOf(await tx.all(BEGUN.ids, args)) }
}

/** After every id, time and day. */
export const LAST = '~'

const idsOf = (found: { id: string }[]) => [...new Set(found.map(({ id }) => id))]
