import { sql } from 'kysely'
import { command, query, type Scoped, unscopedCommand, unscopedQuery } from '../core/statement.ts'
import { isWorkspaceImporting } from '../workspaces/workspace-imports.ts'
import { keysOfStep, sizeOf } from './step-rows.ts'

/** Replies deleted per step, so that other writers do not wait long. */
const REPLY_BATCH_SIZE = 500

/** Deletes a batch of replies from before `before`, until there are no more. */
export const deleteOldReplies = unscopedCommand((db, $: { before: string }) => {
  const oldest = sql`select created_at as key, ${sizeOf('body')} as size from replies
    where created_at <= ${$.before} order by created_at limit ${sql.lit(REPLY_BATCH_SIZE)}`
  return db
    .deleteFrom('replies')
    .where(sql<boolean>`created_at <= (select max(key) from (${keysOfStep(oldest)}) as step)`)
})

/** Workspaces in order of their ids, without those that are still being imported. */
export const workspacesAfter = unscopedQuery((db, $: { after: string; limit: number }) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '>', $.after)
    .where((is) => is.not(isWorkspaceImporting('workspaces.id')))
    .orderBy('id')
    .limit($.limit),
)

/** Timers of all workspaces that have run since `started_before` or longer. */
export const overdueTimers = unscopedQuery((db, $: { started_before: string; limit: number }) =>
  db
    .selectFrom('time_entries')
    .select(['workspace_id', 'user_id'])
    .where('duration_seconds', 'is', null)
    .where('started_at', '<=', $.started_before)
    .where((is) => is.not(isWorkspaceImporting('time_entries.workspace_id')))
    .orderBy('started_at')
    .limit($.limit),
)

export const overdueTimerOfUser = query(
  (db, $: Scoped<{ user_id: string; started_before: string }>) =>
    db
      .selectFrom('time_entries')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where('user_id', '=', $.user_id)
      .where('duration_seconds', 'is', null)
      .where('started_at', '<=', $.started_before),
)

export const tasksToPurge = query((db, $: Scoped<{ deleted_before: string; limit: number }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('deleted_at', '<=', $.deleted_before)
    .orderBy('deleted_at')
    .limit($.limit),
)

export const taskToPurge = query((db, $: Scoped<{ id: string; deleted_before: string }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('deleted_at', '<=', $.deleted_before),
)

type TaskRowsToPurge = Scoped<{ task_id: string; limit: number }>

export const purgeComments = command((db, $: TaskRowsToPurge) =>
  db
    .deleteFrom('comments')
    .where('workspace_id', '=', $.workspace_id)
    .where(
      sql<boolean>`id in (${keysOfStep(
        sql`select id as key, ${sizeOf('body')} as size from comments
          where workspace_id = ${$.workspace_id} and task_id = ${$.task_id} limit ${$.limit}`,
      )})`,
    ),
)

export const purgeActivity = command((db, $: TaskRowsToPurge) =>
  db
    .deleteFrom('activity')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id)
    .where('id', 'in', (is) =>
      is
        .selectFrom('activity as some')
        .select('some.id')
        .where('some.workspace_id', '=', $.workspace_id)
        .where('some.task_id', '=', $.task_id)
        .limit($.limit),
    ),
)

export const purgeTimeEntries = command((db, $: TaskRowsToPurge) =>
  db
    .deleteFrom('time_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', 'in', (is) =>
      is
        .selectFrom('time_entries as some')
        .select('some.id')
        .where('some.workspace_id', '=', $.workspace_id)
        .where('some.task_id', '=', $.task_id)
        .limit($.limit),
    ),
)

/** Before their task: the tombstone of each needs its project (migration 0024). */
export const purgeAttachments = command((db, $: Scoped<{ task_id: string }>) =>
  db
    .deleteFrom('attachments')
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id),
)

/**
 * Deletes a task's search words. PostgreSQL also deletes them with their task; the FTS5 index of
 * SQLite refers to rows only by number.
 */
export const deleteTaskWords = command((db, $: Scoped<{ id: string }>, { engine }) => {
  const words = db.deleteFrom('task_words')
  if (engine === 'postgres') {
    return words.where('workspace_id', '=', $.workspace_id).where('task_id', '=', $.id)
  }
  return words.where('rowid', '=', (is) =>
    is
      .selectFrom('tasks')
      .select('search_id')
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  )
})

/** Deletes a task; its numbers, links and words are deleted by cascading foreign keys. */
export const purgeTask = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('tasks').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
