import { may } from '#core/actor.ts'
import type { ReadTx } from '#core/transaction.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import { visibleProjectIds } from '#resources/projects/store.ts'
import { readTaskFilters } from './list-query.ts'

/**
 * Reads the filters of a list of what belongs to tasks, such as their time entries. It has no index of
 * projects, so it walks past the records of others. If the actor sees few tasks, or the projects of the
 * query have few, their ids are in the values (`hasSelectedIds`): a guest of one small project would
 * otherwise have the server read 200,000 entries, for half a second.
 */
export async function readFiltersOfTaskRecords(tx: ReadTx, ids: string[] | undefined) {
  const isNamed = ids !== undefined
  const projects =
    isNamed || !may(tx.actor, 'see_all_projects')
      ? await tx.all(visibleProjectIds({ isNamed }), { ids: ids ?? [] })
      : undefined
  return readTaskFilters(tx, projects ? { project_id: projects.map(({ id }) => id) } : {})
}

/**
 * Up to this many records are found and sorted; more are met soon enough by walking along the order of
 * the list (docs/decisions/0075-lists-of-time-entries-and-comments.md).
 */
const MAX_SORTED_RECORDS = 1_000

/** The ids of the records that a statement finds; undefined if they are too many to be sorted. */
export async function findFewIds(
  select: (limit: number) => Promise<{ id: string }[]>,
): Promise<readonly string[] | undefined> {
  const records = await select(MAX_SORTED_RECORDS + 1)
  return records.length > MAX_SORTED_RECORDS ? undefined : records.map(({ id }) => id)
}

type RecordsOfTasks = 'comments' | 'time_entries'

const idsOfTaskRecords = memoizeByShape((table: RecordsOfTasks) =>
  query((db, $: Scoped<{ task_ids: readonly string[]; limit: number }>, { inList }) =>
    db.selectFrom(table).select('id').where(inList('task_id', $.task_ids)).limit($.limit),
  ),
)

/** The ids of the records of the tasks that a selective filter has found; undefined if they are many. */
export async function findRecordsOfFewTasks(
  tx: ReadTx,
  table: RecordsOfTasks,
  { selection, values }: Awaited<ReturnType<typeof readFiltersOfTaskRecords>>,
): Promise<readonly string[] | undefined> {
  if (!selection.hasSelectedIds) return undefined
  const task_ids = values.selected_ids
  return findFewIds((limit) => tx.all(idsOfTaskRecords(table), { task_ids, limit }))
}
