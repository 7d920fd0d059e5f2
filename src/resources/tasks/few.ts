import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadTx } from '#core/tx.ts'
import type { Dialect } from '#storage/dialect.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'
import type { Filters } from './listed.ts'

/**
 * A filter that leaves few tasks of many is answered by finding those and sorting them; one that
 * leaves many, by walking in order until the page is full. To sort many, or to walk past all the
 * others, would take the longer the more tasks there are. Neither engine can tell which it is, so it
 * is tried: to sort this many takes about as long as to walk past a hundred times as many.
 */
const FEW = 500

type Limited = Scoped<Filters & { limit: number }>
type Finder = ($: Limited, dialect: Dialect) => RawBuilder<unknown>

/** How a filter finds the ids of its tasks without a look at others. */
const FINDERS = {
  parent_id: ($) => sql`select id from tasks
    where workspace_id = ${$.workspace_id} and parent_id = ${$.parent_id}`,
  assignees: ($, { among }) => sql`select task_id as id from task_assignees
    where workspace_id = ${$.workspace_id} and ${among('user_id', $.assignees)}`,
  tags: ($, { among }) => sql`select task_id as id from task_tags
    where workspace_id = ${$.workspace_id} and ${among('tag_id', $.tags)}`,
  status: ($, { among }) => sql`select id from tasks where workspace_id = ${$.workspace_id}
    and project_id = ${$.project_id} and ${among('status', $.status)}`,
  ranks: ($, { amongNumbers }) => sql`select id from tasks where workspace_id = ${$.workspace_id}
    and project_id = ${$.project_id} and ${amongNumbers('priority_rank', $.ranks)}`,
} satisfies Partial<Record<keyof Filters, Finder>>
const OF_PROJECT = new Set(['status', 'ranks'])

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

const compiled = <R>(db: unknown, statement: RawBuilder<R>) => ({
  compile: () => statement.compile(db as Kysely<Tables>),
})

const BY_FILTER = Object.entries(FINDERS).map(([name, finder]) => ({
  name: name as keyof typeof FINDERS,
  ...found(finder),
}))
const [WHOLE, BEGUN] = [found(words(true)), found(words(false))]

/** A filter that leaves few tasks, and the ids of these; undefined where none of them does. */
export async function fewOf(tx: ReadTx, filters: Filters, given: ReadonlySet<string>) {
  const args = { ...filters, limit: FEW + 1 }
  const few = async ({ count }: typeof WHOLE) => ((await tx.one(count, args))?.count ?? 0) <= FEW
  for (const finder of BY_FILTER) {
    const { name, ids } = finder
    const known = given.has(name) && (given.has('project_id') || !OF_PROJECT.has(name))
    if (known && (await few(finder))) return { name, ids: idsOf(await tx.all(ids, args)) }
  }
  // All the beginnings of words are gathered before the first is told: not where whole words tell.
  if (!given.has('search') || !(await few(WHOLE)) || !(await few(BEGUN))) return undefined
  return { name: 'search' as const, ids: idsOf(await tx.all(BEGUN.ids, args)) }
}

const idsOf = (found: { id: string }[]) => [...new Set(found.map(({ id }) => id))]
