import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { command, insertRow, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { batchesOf } from '#lib/batches.ts'
import { giveWay } from '#lib/turns.ts'

/** Rows of `task_assignees` serve filters and sort; the task row has the list of assignees. */
type AssigneeParams = Scoped<{ user_id: string; task_id: string }>
export const addAssignee = command((db, $: AssigneeParams) =>
  db.insertInto('task_assignees').values((is) => ({
    ...pickSlots($, 'workspace_id', 'user_id', 'task_id'),
    due_date: is.selectFrom('tasks').select('due_date').where('id', '=', $.task_id),
  })),
)
export const removeAssignee = command((db, $: AssigneeParams) =>
  db.deleteFrom('task_assignees').where('user_id', '=', $.user_id).where('task_id', '=', $.task_id),
)

type TagLinkParams = Scoped<{ tag_id: string; task_id: string }>
export const removeTagLink = command((db, $: TagLinkParams) =>
  db.deleteFrom('task_tags').where('tag_id', '=', $.tag_id).where('task_id', '=', $.task_id),
)
/** Adjusts `task_count` of a tag, which counts undeleted tasks. */
export const adjustTagCount = command((db, $: Scoped<{ tag_id: string; by: number }>) =>
  db
    .updateTable('tags')
    .set((tag) => ({ task_count: tag('task_count', '+', $.by) }))
    .where('id', '=', $.tag_id),
)

type BlockerParams = Scoped<{ task_id: string; blocker_id: string }>
export const addBlocker = insertRow('task_blocks', 'task_id', 'blocker_id')
export const removeBlocker = command((db, $: BlockerParams) =>
  db
    .deleteFrom('task_blocks')
    .where('task_id', '=', $.task_id)
    .where('blocker_id', '=', $.blocker_id),
)

/** The dependencies of some tasks in both directions, including deleted tasks. */
const dependenciesOf = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('task_blocks')
    .select(['task_id', 'blocker_id'])
    .where(inList('task_id', $.ids))
    .union(
      db
        .selectFrom('task_blocks')
        .select(['task_id', 'blocker_id'])
        .where(inList('blocker_id', $.ids)),
    ),
)

const linkCount = (end: 'task_id' | 'blocker_id') =>
  query((db, $: Scoped<{ id: string }>) =>
    db
      .selectFrom('task_blocks')
      .select((is) => is.fn.countAll<number>().as('count'))
      .where(end, '=', $.id),
  )

/** How many tasks a task blocks, including deleted ones, which can be restored. */
export const blockedTaskCount = linkCount('blocker_id')
/** How many tasks block a task, including deleted ones. */
export const blockerCount = linkCount('task_id')

type LinkedTasksParams = Scoped<{ ids: readonly string[] }>

/**
 * A column that SQLite cannot use to plan a `distinct`. Otherwise it reads all links of the workspace
 * in the order of this column, instead of the few links that the condition selects.
 */
const unindexed = (column: 'task_id' | 'blocker_id') => sql<string>`${sql.ref(column)} || ''`

/** The tasks that some tasks block directly, including deleted ones. */
export const blockedTasks = query((db, $: LinkedTasksParams, { inList }) =>
  db
    .selectFrom('task_blocks')
    .select(unindexed('task_id').as('id'))
    .distinct()
    .where(inList('blocker_id', $.ids)),
)

/** The tasks that some tasks directly wait for, including deleted ones. */
export const blockerTasks = query((db, $: LinkedTasksParams, { inList }) =>
  db
    .selectFrom('task_blocks')
    .select(unindexed('blocker_id').as('id'))
    .distinct()
    .where(inList('task_id', $.ids)),
)

/** The undeleted tasks at the other end of the links, as a JSON array of ids in ascending order. */
function linkedIdsJson(
  { engine }: Dialect,
  from: 'task_id' | 'blocker_id',
  to: 'task_id' | 'blocker_id',
) {
  // Not a join: without statistics PostgreSQL would read all tasks of the workspace for each link.
  const linkedIds = sql`select (select other.id from tasks as other
      where other.workspace_id = link.workspace_id and other.id = ${sql.ref(`link.${to}`)}
        and other.deleted_at is null) as id
    from task_blocks as link
    where link.workspace_id = tasks.workspace_id and ${sql.ref(`link.${from}`)} = tasks.id
    order by ${sql.ref(`link.${to}`)}`
  if (engine === 'sqlite') {
    return sql<string>`(select json_group_array(id) filter (where id is not null) from (${linkedIds}))`
  }
  return sql<string>`(select coalesce('["' || string_agg(id, '","' order by id) || '"]', '[]')
    from (${linkedIds}) as ids)`
}

/** Rebuilds the two stored lists of dependencies of tasks from the links. */
export const rebuildDependencyLists = command(
  (db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
    db
      .updateTable('tasks')
      .set({
        blocked_by_ids: linkedIdsJson(dialect, 'task_id', 'blocker_id'),
        blocking_ids: linkedIdsJson(dialect, 'blocker_id', 'task_id'),
      })
      .where(dialect.inList('tasks.id', $.ids)),
)

/** A task can have 1,000 links; a statement about so many tasks takes some ten milliseconds at most. */
const TASKS_PER_STATEMENT = 20

/** Rebuilds the stored dependencies of these tasks. */
export async function refreshDependencies(tx: WriteTx, task_ids: Iterable<string>): Promise<void> {
  for (const ids of batchesOf([...new Set(task_ids)], TASKS_PER_STATEMENT)) {
    await tx.run(rebuildDependencyLists, { ids })
    // Not before the first: a caller need not wait for it before its next statement.
    await giveWay()
  }
}

/** Rebuilds the stored dependencies of all tasks that wait for one of these or block one. */
export async function refreshDependenciesAround(
  tx: WriteTx,
  task_ids: readonly string[],
): Promise<void> {
  const linked = new Set<string>()
  for (const ids of batchesOf(task_ids, TASKS_PER_STATEMENT)) {
    for (const { task_id, blocker_id } of await tx.all(dependenciesOf, { ids })) {
      linked.add(task_id).add(blocker_id)
    }
    await giveWay()
  }
  await refreshDependencies(tx, linked)
}

/** The ids that a set gained and lost. */
export function diffSets(before: readonly string[], after: readonly string[]) {
  const [old, current] = [new Set(before), new Set(after)]
  return {
    gained: after.filter((id) => !old.has(id)),
    lost: before.filter((id) => !current.has(id)),
  }
}
