import { isImported } from './imports.ts'
import { command, commandOfAll, query, queryOfAll, type Scoped } from './statement.ts'

/** How many replies one step of cleaning forgets, so that it holds nobody up. */
export const FORGOTTEN_AT_ONCE = 500

/** Forgets some replies from before `before`; tells by its count whether there may be more. */
export const forgetOldReplies = commandOfAll((db, $: { before: string }) =>
  db.deleteFrom('replies').where(
    'created_at',
    '<=',
    db
      .selectFrom(
        db
          .selectFrom('replies')
          .select('created_at')
          .where('created_at', '<=', $.before)
          .orderBy('created_at')
          .limit(FORGOTTEN_AT_ONCE)
          .as('oldest'),
      )
      .select((is) => is.fn.max('oldest.created_at').as('latest')),
  ),
)

/** Workspaces in order; those that are being imported are nobody's yet. */
export const workspacesAfter = queryOfAll((db, $: { after: string; limit: number }) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '>', $.after)
    .where((is) => is.not(isImported('workspaces.id')))
    .orderBy('id')
    .limit($.limit),
)

/** The timers of all workspaces that have run since then or longer. */
export const overdueTimers = queryOfAll((db, $: { started_before: string; limit: number }) =>
  db
    .selectFrom('time_entries')
    .select(['workspace_id', 'user_id'])
    .where('duration_seconds', 'is', null)
    .where('started_at', '<=', $.started_before)
    .where((is) => is.not(isImported('time_entries.workspace_id')))
    .orderBy('started_at')
    .limit($.limit),
)

export const isTimerOverdue = query((db, $: Scoped<{ user_id: string; started_before: string }>) =>
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

type Some = Scoped<{ task_id: string; limit: number }>

export const purgeComments = command((db, $: Some) =>
  db
    .deleteFrom('comments')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', 'in', (is) =>
      is
        .selectFrom('comments as some')
        .select('some.id')
        .where('some.workspace_id', '=', $.workspace_id)
        .where('some.task_id', '=', $.task_id)
        .limit($.limit),
    ),
)

export const purgeActivity = command((db, $: Some) =>
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

export const purgeTimeEntries = command((db, $: Some) =>
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

/** On PostgreSQL the words go with their task; the index of SQLite knows its rows by number only. */
export const forgetWords = command((db, $: Scoped<{ id: string }>, { engine }) => {
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

/** Its numbers, links and words go with it: their keys cascade. */
export const purgeTask = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('tasks').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
