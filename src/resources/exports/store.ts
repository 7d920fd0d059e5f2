import { sql } from 'kysely'
import { isDeletedWorkspace } from '#storage/deleted-workspaces.ts'
import { command, query, queryOfAll, row, type Scoped, shaped } from '#storage/statement.ts'
import type { ExportRow } from '#storage/tables.ts'
import type { State } from './internal.ts'

const COLUMNS = [
  ...(['created_by_id', 'status', 'file_id', 'filename', 'size_bytes', 'sha256'] as const),
  ...(['progress', 'error', 'runner', 'runner_until', 'created_at', 'updated_at'] as const),
  'expires_at',
] as const

export const exportById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** The latest of the workspace, the newest first. */
export const latestExports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id', 'desc')
    .limit($.limit),
)

/** Those in a state that were not touched since then, of all workspaces that are not deleted. */
export const exportsBefore = queryOfAll((db, $: { state: State; before: string; limit: number }) =>
  db
    .selectFrom('exports')
    .select(['workspace_id', 'id'])
    .where('status', '=', $.state)
    .where('updated_at', '<=', $.before)
    .where(sql<boolean>`not ${isDeletedWorkspace('exports.workspace_id')}`)
    .orderBy('updated_at')
    .limit($.limit),
)

/** Those that are made or can be downloaded, of deleted workspaces. */
export const exportsOfDeleted = queryOfAll((db, $: { limit: number }) =>
  db
    .selectFrom('workspaces')
    .innerJoin('exports', 'exports.workspace_id', 'workspaces.id')
    .select(['exports.workspace_id', 'exports.id'])
    .where('workspaces.deleted_at', 'is not', null)
    .where('exports.status', 'in', ['running', 'ready'])
    .limit($.limit),
)

export const insertExport = command((db, $: Scoped<ExportRow>) =>
  db.insertInto('exports').values(row($, 'workspace_id', 'id', ...COLUMNS)),
)

export const setExport = shaped((columns: readonly (typeof COLUMNS)[number][]) =>
  command((db, $: Scoped<ExportRow>) =>
    db
      .updateTable('exports')
      .set(row($, ...columns))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

type Claim = { id: string; runner: string; runner_until: string; progress: string; now: string }

/**
 * Says who works on it, and how far that is; no row: another process does, it is over, or its workspace is
 * deleted.
 */
export const claimExport = command((db, $: Scoped<Claim>) =>
  db
    .updateTable('exports')
    .set(row($, 'runner', 'runner_until', 'progress'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('status', '=', 'running')
    .where(sql<boolean>`not ${isDeletedWorkspace('exports.workspace_id')}`)
    .where((is) => is.or([is('runner', '=', $.runner), is('runner_until', '<', $.now)])),
)

export const removeExport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('exports').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
