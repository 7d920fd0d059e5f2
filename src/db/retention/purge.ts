import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import {
  command,
  memoizeByShape,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import type { ReplyRow } from '../schema/tables.ts'
import { TABLES, type TableWith } from '../schema/tables.ts'
import { isWorkspaceImporting } from '../workspaces/workspace-imports.ts'
import { sizeOfTexts } from './step-rows.ts'

const EXPIRY_COLUMNS = {
  sessions: { key: 'id', column: 'expires_at' },
  password_resets: { key: 'hash', column: 'expires_at' },
  sign_in_steps: { key: 'hash', column: 'expires_at' },
  attempts: { key: 'subject', column: 'kept_until' },
  invitations: { key: 'hash', column: 'expires_at' },
  oauth_records: { key: 'kind, hash', column: 'expires_at' },
  grants: { key: 'id', column: 'expires_at' },
} as const

/** Deletes at most `limit` expired rows of a table. */
export const deleteExpiredRows = memoizeByShape((table: keyof typeof EXPIRY_COLUMNS) =>
  unscopedCommand((db, $: { now: string; limit: number }) => {
    const [key, column] = [
      sql.raw(EXPIRY_COLUMNS[table].key),
      sql.ref(EXPIRY_COLUMNS[table].column),
    ]
    const some = sql`select ${key} from ${sql.table(table)} where ${column} <= ${$.now}
      limit ${$.limit}`
    return db.deleteFrom(table).where(sql<boolean>`(${key}) in (${some})`)
  }),
)

/** The oldest tombstones of the feed of changes. */
export const oldestTombstones = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('tombstones')
    .select(['change_number', 'created_at'])
    .orderBy('change_number')
    .limit($.limit),
)

/** From now on positions before this number have expired. */
export const expireTombstones = command((db, $: Scoped<{ until: number }>) =>
  db
    .updateTable('workspaces')
    .set({ tombstones_from: $.until })
    .where('tombstones_from', '<', $.until),
)

export const deleteTombstones = command((db, $: Scoped<{ until: number }>) =>
  db.deleteFrom('tombstones').where('change_number', '<=', $.until),
)

const OLD_REPLY_COLUMNS = ['user_id', 'credential', 'key', 'created_at'] as const

/** The oldest stored replies of all workspaces. */
export const oldestReplies = unscopedQuery((db, $: { before: string; limit: number }) =>
  db
    .selectFrom('replies')
    .select(['workspace_id', ...OLD_REPLY_COLUMNS, sizeOfTexts('replies').as('size')])
    .where('created_at', '<=', $.before)
    .orderBy('created_at')
    .limit($.limit),
)

/** Stored replies to a user's idempotent requests, which otherwise last a day. */
export const repliesOfUser = query((db, $: Scoped<{ user_id: string; limit: number }>) =>
  db
    .selectFrom('replies')
    .select([...OLD_REPLY_COLUMNS, sizeOfTexts('replies').as('size')])
    .where('user_id', '=', $.user_id)
    .limit($.limit),
)

type OldReply = Pick<ReplyRow, (typeof OLD_REPLY_COLUMNS)[number]>

/** Deletes replies of the workspace, except those whose key has been used anew. */
export async function deleteReplies(tx: WriteTx, replies: readonly OldReply[]): Promise<void> {
  for (const { user_id, credential, key, created_at } of replies)
    await tx.run(deleteReply, { user_id, credential, key, created_at })
}

const deleteReply = command((db, $: Scoped<OldReply>) =>
  db
    .deleteFrom('replies')
    .where('user_id', '=', $.user_id)
    .where('credential', '=', $.credential)
    .where('key', '=', $.key)
    .where('created_at', '=', $.created_at),
)

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
      .where('user_id', '=', $.user_id)
      .where('duration_seconds', 'is', null)
      .where('started_at', '<=', $.started_before),
)

export const tasksToPurge = query((db, $: Scoped<{ deleted_before: string; limit: number }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('deleted_at', '<=', $.deleted_before)
    .orderBy('deleted_at')
    .limit($.limit),
)

export const taskToPurge = query((db, $: Scoped<{ id: string; deleted_before: string }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', $.id)
    .where('deleted_at', '<=', $.deleted_before),
)

type TableOfTask = TableWith<'purge', 'rows of a task'>

/** The tables of whose rows a task may have any number. */
export const TABLES_OF_A_TASK = TABLES.flatMap(([table, { purge }]) =>
  purge === 'rows of a task' ? [table as TableOfTask] : [],
)

/** Some rows of a task. */
export const rowsToPurge = memoizeByShape((table: TableOfTask) =>
  query((db, $: Scoped<{ task_id: string; limit: number }>) =>
    db
      .selectFrom(table)
      .select(['id', sizeOfTexts(table).as('size')])
      .where('task_id', '=', $.task_id)
      .limit($.limit),
  ),
)

export const purgeRows = memoizeByShape((table: TableOfTask) =>
  command((db, $: Scoped<{ task_id: string; ids: readonly string[] }>, { inList }) =>
    db
      .deleteFrom(table)
      .where('task_id', '=', $.task_id)
      .where(inList(`${table}.id`, $.ids)),
  ),
)

type DeletedCommentBatch = Scoped<{ deleted_before: string; limit: number }>

/** The oldest deleted comments whose time is over. */
export const commentsToPurge = query((db, $: DeletedCommentBatch) =>
  db
    .selectFrom('deleted_comments')
    .select(['id', sizeOfTexts('deleted_comments').as('size')])
    .where('deleted_at', '<=', $.deleted_before)
    .orderBy('deleted_at')
    .limit($.limit),
)

/** Comments that a person has written and somebody has deleted. */
export const deletedCommentsOfAuthor = query(
  (db, $: Scoped<{ author_id: string; limit: number }>) =>
    db
      .selectFrom('deleted_comments')
      .select(['id', sizeOfTexts('deleted_comments').as('size')])
      .where('author_id', '=', $.author_id)
      .limit($.limit),
)

/** Purges deleted comments up to the bytes of a step; returns whether more of them remain. */
export async function purgeDeletedComments(
  tx: WriteTx,
  comments: readonly { id: string; size: number }[],
): Promise<boolean> {
  const some = takeSized(comments, MAX_STEP_BYTES)
  if (some.length > 0) await tx.run(purgeCommentRows, { ids: some.map(({ id }) => id) })
  return some.length < comments.length
}

const purgeCommentRows = command((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db.deleteFrom('deleted_comments').where(inList('deleted_comments.id', $.ids)),
)

/** Before their task: the trigger that writes the tombstone of each needs its project. */
export const purgeAttachments = command((db, $: Scoped<{ task_id: string }>) =>
  db.deleteFrom('attachments').where('task_id', '=', $.task_id),
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
    is.selectFrom('tasks').select('search_id').where('id', '=', $.id),
  )
})

/** Deletes a task; its numbers, links and words are deleted by cascading foreign keys. */
export const purgeTask = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('tasks').where('id', '=', $.id),
)
