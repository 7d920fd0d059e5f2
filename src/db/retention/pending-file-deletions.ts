import { sql } from 'kysely'
import {
  command,
  memoizeByShape,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'

/** Files of all workspaces whose rows are deleted, oldest first. */
export const pendingFileDeletions = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('doomed_files')
    .select(['workspace_id', 'id'])
    .orderBy('doomed_at')
    .orderBy('id')
    .limit($.limit),
)

/** Prefix of the marks in `installation` that hold file deletions; the value is their end. */
const HOLD_PREFIX = 'files_held '

/** Holds that still apply: a backup copies rows first and needs the files of these rows later. */
export const activeFileHold = unscopedQuery((db, $: { now: string }) =>
  db
    .selectFrom('installation')
    .select('value')
    .where('name', '>', HOLD_PREFIX)
    .where('name', '<', `${HOLD_PREFIX}~`)
    .where('value', '>', $.now),
)

/** Stops file deletions until the given time. */
export const holdFileDeletions = unscopedCommand((db, $: { holder: string; until: string }) =>
  db
    .insertInto('installation')
    .values({ name: sql<string>`${sql.lit(HOLD_PREFIX)} || ${$.holder}`, value: $.until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.until })),
)

/** Ends a hold, and deletes all holds that have expired. */
export const releaseFileDeletions = unscopedCommand((db, $: { holder: string; now: string }) =>
  db
    .deleteFrom('installation')
    .where('name', '>', HOLD_PREFIX)
    .where('name', '<', `${HOLD_PREFIX}~`)
    .where((is) =>
      is.or([
        is('name', '=', sql<string>`${sql.lit(HOLD_PREFIX)} || ${$.holder}`),
        is('value', '<', $.now),
      ]),
    ),
)

/** Schedules the deletion of a file, in the transaction that deletes its row. */
export const scheduleFileDeletion = command((db, $: Scoped<{ id: string; doomed_at: string }>) =>
  db
    .insertInto('doomed_files')
    .values({ workspace_id: $.workspace_id, id: $.id, doomed_at: $.doomed_at }),
)

/** Schedules the deletion of all files of a task. */
export const scheduleTaskFileDeletions = command(
  (db, $: Scoped<{ task_id: string; doomed_at: string }>, { engine }) =>
    db
      .insertInto('doomed_files')
      .columns(['workspace_id', 'id', 'doomed_at'])
      .expression((is) =>
        is
          .selectFrom('attachments')
          .select((row) => [
            'workspace_id',
            'id',
            // PostgreSQL cannot infer the type of a bare parameter in a selection.
            engine === 'postgres'
              ? row.cast<string>(row.val($.doomed_at), 'text').as('doomed_at')
              : row.val($.doomed_at).as('doomed_at'),
          ])
          .where('task_id', '=', $.task_id),
      ),
)

/** Removes the mark of a file that has been deleted. */
export const deletePendingFileDeletion = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('doomed_files').where('id', '=', $.id),
)

/** Moves a file to the end of the pending deletions. */
export const postponeFileDeletion = command((db, $: Scoped<{ id: string; doomed_at: string }>) =>
  db.updateTable('doomed_files').set({ doomed_at: $.doomed_at }).where('id', '=', $.id),
)

/** Adds to the attachment bytes of a workspace; `by` may be negative. */
export const addAttachmentBytes = command((db, $: Scoped<{ by: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({ attachment_bytes: workspace('attachment_bytes', '+', $.by) })),
)

/** The total size of a task's files. */
export const taskAttachmentBytes = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('attachments')
    // PostgreSQL's sum() of integers returns a numeric, so it is cast.
    .select((is) =>
      is.cast<number>(is.fn.coalesce(is.fn.sum('size_bytes'), is.lit(0)), 'bigint').as('bytes'),
    )
    .where('task_id', '=', $.task_id),
)

/** Which of these files belong to a row: an attachment, also in the trash, an import or an export. */
export const referencedFiles = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('attachments')
    .select('id')
    .where(inList('attachments.id', $.ids))
    .unionAll((is) => is.selectFrom('trash').select('id').where(inList('trash.id', $.ids)))
    .unionAll((is) =>
      is
        .selectFrom('imports')
        .select((row) => row.ref('file_id').$notNull().as('id'))
        .where(inList('imports.file_id', $.ids)),
    )
    .unionAll((is) =>
      is
        .selectFrom('exports')
        .select((row) => row.ref('file_id').$notNull().as('id'))
        .where(inList('exports.file_id', $.ids)),
    ),
)

/** Files of the imports or exports of an abandoned workspace, which have to be deleted too. */
export const transferFiles = memoizeByShape((table: 'imports' | 'exports') =>
  query((db, $: Scoped<{ limit: number }>) =>
    db.selectFrom(table).select(['id', 'file_id']).where('file_id', 'is not', null).limit($.limit),
  ),
)

export const clearTransferFile = memoizeByShape((table: 'imports' | 'exports') =>
  command((db, $: Scoped<{ id: string }>) =>
    db.updateTable(table).set({ file_id: null }).where('id', '=', $.id),
  ),
)

/** Returns a row if the workspace exists in this installation. */
export const existingWorkspace = query((db) => db.selectFrom('workspaces').select('id'))
