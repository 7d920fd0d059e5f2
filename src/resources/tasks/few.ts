import type { Kysely } from 'kysely'
import type { ReadTx } from '#core/tx.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
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

/** By how a filter finds its tasks without a look at the others. */
const FINDERS = {
  parent_id: query((db, $: Limited) =>
    db
      .selectFrom('tasks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where('parent_id', '=', $.parent_id)
      .limit($.limit),
  ),
  assignees: query((db, $: Limited, { among }) =>
    db
      .selectFrom('task_assignees')
      .select('task_id as id')
      .where('workspace_id', '=', $.workspace_id)
      .where(among('user_id', $.assignees))
      .limit($.limit),
  ),
  tags: query((db, $: Limited, { among }) =>
    db
      .selectFrom('task_tags')
      .select('task_id as id')
      .where('workspace_id', '=', $.workspace_id)
      .where(among('tag_id', $.tags))
      .limit($.limit),
  ),
  status: query((db, $: Limited, { among }) =>
    db
      .selectFrom('tasks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where('project_id', '=', $.project_id)
      .where(among('status', $.status))
      .limit($.limit),
  ),
  ranks: query((db, $: Limited, { amongNumbers }) =>
    db
      .selectFrom('tasks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where('project_id', '=', $.project_id)
      .where(amongNumbers('priority_rank', $.ranks))
      .limit($.limit),
  ),
}

const withWords = shaped((whole: boolean) =>
  query((db, $: Limited, { someWithWords }) => {
    const some = someWithWords($.workspace_id, $.search, $.limit, whole)
    return { compile: () => some.compile(db as Kysely<Tables>) }
  }),
)

/** Ids of all tasks that a filter leaves, if there is one that leaves few. */
export async function fewOf(tx: ReadTx, filters: Filters, given: ReadonlySet<string>) {
  for (const [name, finder] of Object.entries(FINDERS)) {
    if (!given.has(name)) continue
    if ((name === 'status' || name === 'ranks') && !given.has('project_id')) continue
    const found = await tx.all(finder, { ...filters, limit: FEW + 1 })
    if (found.length <= FEW) return idsOf(found)
  }
  if (!given.has('search')) return undefined
  // All the beginnings of words are gathered before the first is told: not where whole words tell.
  for (const whole of [true, false]) {
    const found = await tx.all(withWords(whole), { ...filters, limit: FEW + 1 })
    if (found.length > FEW) return undefined
    if (!whole) return idsOf(found)
  }
  return undefined
}

const idsOf = (found: { id: string }[]) => [...new Set(found.map(({ id }) => id))]
