import { sql } from 'kysely'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import type { ExportRow } from '#db/schema/tables.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import type { ExportStatus } from './internal.ts'

const COLUMNS = [
  'created_by_id',
  'status',
  'file_id',
  'filename',
  'size_bytes',
  'sha256',
  'progress',
  'error',
  'created_at',
  'updated_at',
  'expires_at',
] as const

export const exportById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('id', '=', $.id),
)

/** The latest exports of the workspace, newest first. */
export const latestExports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .orderBy('id', 'desc')
    .limit($.limit),
)

/** Exports with a status that have not changed since `before`, in all undeleted workspaces. */
export const staleExports = unscopedQuery(
  (db, $: { state: ExportStatus; before: string; limit: number }) =>
    db
      .selectFrom('exports')
      .select(['workspace_id', 'id'])
      .where('status', '=', $.state)
      .where('updated_at', '<=', $.before)
      .where(sql<boolean>`not ${isDeletedWorkspace('exports.workspace_id')}`)
      .orderBy('updated_at')
      .limit($.limit),
)

/** The exports of the workspace that can be downloaded, newest first. */
export const readyExports = query((db) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('status', '=', 'ready')
    .orderBy('id', 'desc'),
)

/** Downloadable exports of deleted workspaces. */
export const exportsOfDeletedWorkspaces = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('workspaces')
    .innerJoin('exports', 'exports.workspace_id', 'workspaces.id')
    .select(['exports.workspace_id', 'exports.id'])
    .where('workspaces.deleted_at', 'is not', null)
    .where('exports.status', '=', 'ready')
    .limit($.limit),
)

export const insertExport = insertRow('exports', 'id', ...COLUMNS)

export const setExport = memoizeByShape((columns: readonly (typeof COLUMNS)[number][]) =>
  command((db, $: Scoped<ExportRow>) =>
    db
      .updateTable('exports')
      .set(pickSlots($, ...columns))
      .where('id', '=', $.id),
  ),
)

export const removeExport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('exports').where('id', '=', $.id),
)
