import type { WriteTx } from '#core/tx.ts'
import { tellAmong } from './notifications.ts'
import { command, query, row, type Scoped } from './statement.ts'

/** A task as far as it matters who watches it: its creator and its assignees do, unless they mute it. */
interface Watched {
  id: string
  project_id: string
}

/** Tells whom a task was given to. */
export const tellAssigned = (tx: WriteTx, { id, project_id }: Watched, gained: readonly string[]) =>
  tellAmong(
    tx,
    {
      kind: 'assigned',
      key: `assigned ${id} ${tx.operation_id}`,
      subject_id: id,
      task_id: id,
      project_id,
    },
    gained,
  )

/** Tells whom a comment names: each once, however often the comment is edited. They watch the task then. */
export async function tellMentioned(
  tx: WriteTx,
  task: Watched,
  comment_id: string,
  mentions: readonly string[],
): Promise<void> {
  await watchBy(tx, task.id, mentions)
  const about = { key: `mentioned ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await tellAmong(tx, { ...about, kind: 'mentioned', project_id: task.project_id }, mentions)
}

/**
 * Tells of a new comment: those whom it names that it does, and those who watch the task that there is
 * one. Who wrote it watches the task from then on.
 */
export async function tellCommented(
  tx: WriteTx,
  task: Watched,
  comment_id: string,
  mentions: readonly string[],
): Promise<void> {
  const { user_id } = tx.actor
  const rows = await tx.all(concerned, { task_id: task.id })
  const muting = new Set(rows.filter(({ is_muted }) => is_muted === 1).map((one) => one.user_id))
  const known = new Set(rows.map((one) => one.user_id))
  if (user_id !== null && !known.has(user_id)) await watchBy(tx, task.id, [user_id])
  if (mentions.length > 0) await tellMentioned(tx, task, comment_id, mentions)
  const watching = [...known].filter((id) => !muting.has(id) && !mentions.includes(id))
  const about = { key: `commented ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await tellAmong(tx, { ...about, kind: 'commented', project_id: task.project_id }, watching)
}

/** These watch a task from now on; who has muted it, or watches it, goes on with that. */
const watchBy = (tx: WriteTx, task_id: string, user_ids: readonly string[]) =>
  tx.each(
    beginWatching,
    user_ids.map((user_id) => ({ task_id, user_id })),
  )

/** Everybody whom a task concerns: its creator, its assignees, those who watch it and those who mute it. */
const concerned = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('task_watches')
    .select(['user_id', 'is_muted'])
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .unionAll(
      db
        .selectFrom('task_assignees')
        .select((is) => ['user_id', is.lit(0).as('is_muted')])
        .where('workspace_id', '=', $.workspace_id)
        .where('task_id', '=', $.task_id),
    )
    .unionAll(
      db
        .selectFrom('tasks')
        .select((is) => ['created_by_id as user_id', is.lit(0).as('is_muted')])
        .where('workspace_id', '=', $.workspace_id)
        .where('id', '=', $.task_id),
    ),
)

type Who = { task_id: string; user_id: string }

const beginWatching = command((db, $: Scoped<Who>) =>
  db
    .insertInto('task_watches')
    .values((is) => ({ ...row($, 'workspace_id', 'task_id', 'user_id'), is_muted: is.lit(0) }))
    .onConflict((conflict) => conflict.doNothing()),
)
