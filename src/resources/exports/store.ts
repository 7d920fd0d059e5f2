import { sql } from 'kysely'
import {
  command,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import { hasOpenJob } from '#db/jobs/job-statements.ts'
import type { ExportRow } from '#db/schema/tables.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import type { ExportStatus } from './internal.ts'

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

/** The latest exports of the workspace, newest first. */
export const latestExports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
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

/** Running exports in undeleted workspaces that no job makes: the previous release created them. */
export const exportsWithoutJob = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('exports')
    .select(['workspace_id', 'id'])
    .where('status', '=', 'running')
    .where(sql<boolean>`not ${isDeletedWorkspace('exports.workspace_id')}`)
    .where(sql<boolean>`not ${hasOpenJob('export', 'exports')}`)
    .orderBy('updated_at')
    .limit($.limit),
)

/** The exports of the workspace that can be downloaded, newest first. */
export const readyExports = query((db, $: Scoped) =>
  db
    .selectFrom('exports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .where('status', '=', 'ready')
    .orderBy('id', 'desc'),
)

/** Running and downloadable exports of deleted workspaces. */
export const exportsOfDeletedWorkspaces = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('workspaces')
    .innerJoin('exports', 'exports.workspace_id', 'workspaces.id')
    .select(['exports.workspace_id', 'exports.id'])
    .where('workspaces.deleted_at', 'is not', null)
    .where('exports.status', 'in', ['running', 'ready'])
    .limit($.limit),
)

export const insertExport = command((db, $: Scoped<ExportRow>) =>
  db.insertInto('exports').values(pickSlots($, 'workspace_id', 'id', ...COLUMNS)),
)

export const setExport = memoizeByShape((columns: readonly (typeof COLUMNS)[number][]) =>
  command((db, $: Scoped<ExportRow>) =>
    db
      .updateTable('exports')
      .set(pickSlots($, ...columns))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

type ExportClaim = {
  id: string
  runner: string
  runner_until: string
  progress: string
  now: string
}

/**
 * Claims a running export and records its progress. Changes no row if a process of the previous
 * release holds it, if it has ended, or if its workspace has been deleted.
 */
export const claimExport = command((db, $: Scoped<ExportClaim>) =>
  db
    .updateTable('exports')
    .set(pickSlots($, 'runner', 'runner_until', 'progress'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('status', '=', 'running')
    .where(sql<boolean>`not ${isDeletedWorkspace('exports.workspace_id')}`)
    .where((is) => is.or([is('runner', '=', $.runner), is('runner_until', '<', $.now)])),
)

export const removeExport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('exports').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
