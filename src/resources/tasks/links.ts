import { sql } from 'kysely'
import type { WriteTx } from '#core/tx.ts'
import type { Dialect } from '#storage/dialect.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import { noteDerived } from './tell.ts'

/** The person is assigned to the task: to search by; the row of the task shows it. */
type Assigned = Scoped<{ user_id: string; task_id: string }>
export const assign = command((db, $: Assigned) =>
  db.insertInto('task_assignees').values(row($, 'workspace_id', 'user_id', 'task_id')),
)
export const unassign = command((db, $: Assigned) =>
  db
    .deleteFrom('task_assignees')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('task_id', '=', $.task_id),
)

type Tagged = Scoped<{ tag_id: string; task_id: string }>
export const addTag = command((db, $: Tagged) =>
  db.insertInto('task_tags').values(row($, 'workspace_id', 'tag_id', 'task_id')),
)
export const dropTag = command((db, $: Tagged) =>
  db
    .deleteFrom('task_tags')
    .where('workspace_id', '=', $.workspace_id)
    .where('tag_id', '=', $.tag_id)
    .where('task_id', '=', $.task_id),
)
/** Undeleted tasks more or fewer that bear a tag. */
export const countTagged = command((db, $: Scoped<{ tag_id: string; by: number }>) =>
  db
    .updateTable('tags')
    .set((tag) => ({ task_count: tag('task_count', '+', $.by) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.tag_id),
)

type Blocked = Scoped<{ task_id: string; blocker_id: string }>
export const addBlocker = command((db, $: Blocked) =>
  db.insertInto('task_blocks').values(row($, 'workspace_id', 'task_id', 'blocker_id')),
)
export const dropBlocker = command((db, $: Blocked) =>
  db
    .deleteFrom('task_blocks')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('blocker_id', '=', $.blocker_id),
)

/** The tasks on the other side of a task's dependencies, deleted ones included. */
export const neighbours = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('task_blocks')
    .select('blocker_id as id')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.id)
    .union(
      db
        .selectFrom('task_blocks')
        .select('task_id as id')
        .where('workspace_id', '=', $.workspace_id)
        .where('blocker_id', '=', $.id),
    ),
)

/** How many undeleted tasks a task blocks. */
export const countBlocked = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('task_blocks')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'task_blocks.workspace_id')
        .onRef('tasks.id', '=', 'task_blocks.task_id'),
    )
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('task_blocks.workspace_id', '=', $.workspace_id)
    .where('blocker_id', '=', $.id)
    .where('tasks.deleted_at', 'is', null),
)

/** Whether one of some tasks waits, directly or not, for a task: through deleted ones too. */
export const waitsFor = query((db, $: Scoped<{ id: string; from: readonly string[] }>, { among }) =>
  db
    .withRecursive('waiting(id)', (rows) =>
      rows
        .selectFrom('tasks')
        .select('id')
        .where('workspace_id', '=', $.workspace_id)
        .where(among('tasks.id', $.from))
        .union(
          rows
            .selectFrom('task_blocks')
            .innerJoin('waiting', 'waiting.id', 'task_blocks.task_id')
            .select('blocker_id as id')
            .where('workspace_id', '=', $.workspace_id),
        ),
    )
    .selectFrom('waiting')
    .select('id')
    .where('id', '=', $.id),
)

/** Ids in ascending order as a JSON array, of the undeleted tasks that a link leads to. */
function linked({ engine }: Dialect, from: 'task_id' | 'blocker_id', to: 'task_id' | 'blocker_id') {
  const found = sql`select other.id as id from task_blocks as link
    join tasks as other on other.workspace_id = link.workspace_id and other.id = ${sql.ref(`link.${to}`)}
    where link.workspace_id = tasks.workspace_id and ${sql.ref(`link.${from}`)} = tasks.id
      and other.deleted_at is null order by ${sql.ref(`link.${to}`)}`
  if (engine === 'sqlite') return sql<string>`(select json_group_array(id) from (${found}))`
  return sql<string>`(select coalesce('["' || string_agg(id, '","' order by id) || '"]', '[]')
    from (${found}) as ids)`
}

/** Makes the two lists of dependencies that a task shows anew, from the links. */
export const refreshBlocks = command((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .updateTable('tasks')
    .set({
      blocked_by_ids: linked(dialect, 'task_id', 'blocker_id'),
      blocking_ids: linked(dialect, 'blocker_id', 'task_id'),
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Makes anew what these tasks show of their dependencies. */
export async function refreshDependencies(tx: WriteTx, ids: Iterable<string>): Promise<void> {
  // The one after the other, but without waiting in between.
  const refreshed = [...new Set(ids)].map(async (id) => {
    const [found] = await Promise.all([tx.one(projectOf, { id }), tx.run(refreshBlocks, { id })])
    return { id, ...found }
  })
  for (const { id, project_id } of await Promise.all(refreshed)) {
    if (project_id !== undefined) noteDerived(tx, id, project_id)
  }
}

const projectOf = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('tasks')
    .select('project_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** What a set gained and what it lost. */
export function difference(before: readonly string[], after: readonly string[]) {
  const [old, now] = [new Set(before), new Set(after)]
  return {
    gained: after.filter((id) => !old.has(id)),
    lost: before.filter((id) => !now.has(id)),
  }
}
