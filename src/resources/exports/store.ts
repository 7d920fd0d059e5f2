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

/** Those in a state that were not touched since then, of all workspaces. */
export const exportsBefore = queryOfAll((db, $: { state: State; before: string; limit: number }) =>
  db
    .selectFrom('exports')
    .select(['workspace_id', 'id'])
    .where('status', '=', $.state)
    .where('updated_at', '<=', $.before)
    .orderBy('updated_at')
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

/** Says who works on it, and how far that is; no row: another process does, or it is over. */
export const claimExport = command((db, $: Scoped<Claim>) =>
  db
    .updateTable('exports')
    .set(row($, 'runner', 'runner_until', 'progress'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('status', '=', 'running')
    .where((is) => is.or([is('runner', '=', $.runner), is('runner_until', '<', $.now)])),
)

export const removeExport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('exports').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
