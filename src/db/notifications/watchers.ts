import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '../core/statement.ts'
import { notifyUsersSeeingProject } from './notify.ts'

/** A watched task. Its creator and its assignees watch it unless they mute it. */
interface WatchedTask {
  id: string
  project_id: string
}

/** Notifies users to whom a task was assigned. */
export const notifyAssignees = (
  tx: WriteTx,
  { id, project_id }: WatchedTask,
  addedUserIds: readonly string[],
) =>
  notifyUsersSeeingProject(
    tx,
    {
      kind: 'assigned',
      key: `assigned ${id} ${tx.operation_id}`,
      subject_id: id,
      task_id: id,
      project_id,
    },
    addedUserIds,
  )

/**
 * Notifies users whom a comment mentions, once each even if the comment is edited. They watch the task
 * from then on.
 */
export async function notifyMentionedUsers(
  tx: WriteTx,
  task: WatchedTask,
  comment_id: string,
  mentions: readonly string[],
): Promise<void> {
  await addWatchers(tx, task.id, mentions)
  const about = { key: `mentioned ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await notifyUsersSeeingProject(
    tx,
    { ...about, kind: 'mentioned', project_id: task.project_id },
    mentions,
  )
}

/**
 * Notifies of a new comment: mentioned users of the mention, and watchers of the comment. Its author
 * watches the task from then on.
 */
export async function notifyCommentWatchers(
  tx: WriteTx,
  task: WatchedTask,
  { id: comment_id, author_id }: { id: string; author_id: string },
  mentions: readonly string[],
): Promise<void> {
  const rows = await tx.all(watchersOfTask, { task_id: task.id })
  const mutingUserIds = new Set(
    rows.filter(({ is_muted }) => is_muted === 1).map((one) => one.user_id),
  )
  const userIds = new Set(rows.map((one) => one.user_id))
  if (!userIds.has(author_id)) await addWatchers(tx, task.id, [author_id])
  if (mentions.length > 0) await notifyMentionedUsers(tx, task, comment_id, mentions)
  const watching = [...userIds].filter((id) => !mutingUserIds.has(id) && !mentions.includes(id))
  const about = { key: `commented ${comment_id}`, subject_id: comment_id, task_id: task.id }
  await notifyUsersSeeingProject(
    tx,
    { ...about, kind: 'commented', project_id: task.project_id },
    watching,
  )
}

/** Makes users watch a task, unless they watch or mute it already. */
const addWatchers = (tx: WriteTx, task_id: string, user_ids: readonly string[]) =>
  tx.runEach(
    insertWatcher,
    user_ids.map((user_id) => ({ task_id, user_id })),
  )

/** The creator and assignees of a task, and the users who watch or mute it. */
const watchersOfTask = query((db, $: Scoped<{ task_id: string }>) =>
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

type TaskWatcher = { task_id: string; user_id: string }

const insertWatcher = command((db, $: Scoped<TaskWatcher>) =>
  db
    .insertInto('task_watches')
    .values((is) => ({
      ...pickSlots($, 'workspace_id', 'task_id', 'user_id'),
      is_muted: is.lit(0),
    }))
    .onConflict((conflict) => conflict.doNothing()),
)
