import { sql } from 'kysely'
import { command, commandOfAll, query, queryOfAll, type Scoped, shaped } from './statement.ts'

/** Files whose rows are gone, of all workspaces, the oldest first. */
export const doomedFiles = queryOfAll((db, $: { limit: number }) =>
  db
    .selectFrom('doomed_files')
    .select(['workspace_id', 'id'])
    .orderBy('doomed_at')
    .orderBy('id')
    .limit($.limit),
)

/** Before the name of each that holds the files, in `installation`; the value is until when. */
const HELD = 'files_held '

/** Whether somebody needs the files of rows that are gone: a backup copies rows first, and then files. */
export const filesAreHeld = queryOfAll((db, $: { now: string }) =>
  db
    .selectFrom('installation')
    .select('value')
    .where('name', '>', HELD)
    .where('name', '<', `${HELD}~`)
    .where('value', '>', $.now),
)

/** From now on no file is taken away, until then. */
export const holdFiles = commandOfAll((db, $: { holder: string; until: string }) =>
  db
    .insertInto('installation')
    .values({ name: sql<string>`${sql.lit(HELD)} || ${$.holder}`, value: $.until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.until })),
)

/** Lets go; so does whoever holds on no longer. */
export const letFilesGo = commandOfAll((db, $: { holder: string; now: string }) =>
  db
    .deleteFrom('installation')
    .where('name', '>', HELD)
    .where('name', '<', `${HELD}~`)
    .where((is) =>
      is.or([
        is('name', '=', sql<string>`${sql.lit(HELD)} || ${$.holder}`),
        is('value', '<', $.now),
      ]),
    ),
)

/** Notes that a file is to go: its row goes in the same transaction. */
export const doomFile = command((db, $: Scoped<{ id: string; doomed_at: string }>) =>
  db
    .insertInto('doomed_files')
    .values({ workspace_id: $.workspace_id, id: $.id, doomed_at: $.doomed_at }),
)

/** The same for all files of a task. */
export const doomFilesOfTask = command(
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
            // A bare slot in a selection has no type that PostgreSQL could know.
            engine === 'postgres'
              ? row.cast<string>(row.val($.doomed_at), 'text').as('doomed_at')
              : row.val($.doomed_at).as('doomed_at'),
          ])
          .where('workspace_id', '=', $.workspace_id)
          .where('task_id', '=', $.task_id),
      ),
)

/** The file is gone, and the note of it. */
export const forgetDoomed = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('doomed_files').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Lets a file stand behind all others that are to go. */
export const putOffDoomed = command((db, $: Scoped<{ id: string; doomed_at: string }>) =>
  db
    .updateTable('doomed_files')
    .set({ doomed_at: $.doomed_at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Bytes more or fewer of a workspace. */
export const countBytes = command((db, $: Scoped<{ by: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({ attachment_bytes: workspace('attachment_bytes', '+', $.by) }))
    .where('id', '=', $.workspace_id),
)

/** How many bytes the files of a task have together. */
export const bytesOfTask = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('attachments')
    // A sum of PostgreSQL's is no whole number by itself.
    .select((is) =>
      is.cast<number>(is.fn.coalesce(is.fn.sum('size_bytes'), is.lit(0)), 'bigint').as('bytes'),
    )
    .where('workspace_id', '=', $.workspace_id)
    .where('task_id', '=', $.task_id),
)

/** Which of some files have a row: of an attachment, an import or an export. */
export const filesWithRow = query((db, $: Scoped<{ ids: readonly string[] }>, { among }) =>
  db
    .selectFrom('attachments')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(among('attachments.id', $.ids))
    .unionAll((is) =>
      is
        .selectFrom('imports')
        .select((row) => row.ref('file_id').$notNull().as('id'))
        .where('workspace_id', '=', $.workspace_id)
        .where(among('imports.file_id', $.ids)),
    )
    .unionAll((is) =>
      is
        .selectFrom('exports')
        .select((row) => row.ref('file_id').$notNull().as('id'))
        .where('workspace_id', '=', $.workspace_id)
        .where(among('exports.file_id', $.ids)),
    ),
)

/** A file of an import or an export of a workspace that is given up: it goes like any other. */
export const transferFiles = shaped((table: 'imports' | 'exports') =>
  query((db, $: Scoped<{ limit: number }>) =>
    db
      .selectFrom(table)
      .select(['id', 'file_id'])
      .where('workspace_id', '=', $.workspace_id)
      .where('file_id', 'is not', null)
      .limit($.limit),
  ),
)

export const forgetTransferFile = shaped((table: 'imports' | 'exports') =>
  command((db, $: Scoped<{ id: string }>) =>
    db
      .updateTable(table)
      .set({ file_id: null })
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

/** Whether the workspace is one of this installation. */
export const isOurs = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('id').where('id', '=', $.workspace_id),
)
