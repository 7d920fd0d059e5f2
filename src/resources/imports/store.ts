import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import { hasOpenJob } from '#db/jobs/jobs.ts'
import type { ImportRow } from '#db/schema/tables.ts'
import type { ImportStatus } from './internal.ts'

const COLUMNS = [
  'created_by_id',
  'file_id',
  'filename',
  'size_bytes',
  'kind',
  'status',
  'plan',
  'made',
  'row_count',
  'done_count',
  'made_count',
  'failed_count',
  'warned_count',
  'error',
  'created_at',
  'updated_at',
] as const

export const importById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('imports')
    .select(['id', ...COLUMNS])
    .where('id', '=', $.id),
)

/** The latest imports of the workspace, newest first. */
export const latestImports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('imports')
    .select(['id', ...COLUMNS])
    .orderBy('id', 'desc')
    .limit($.limit),
)

/** Imports of deleted workspaces that still have a file. */
export const importsOfDeletedWorkspaces = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('workspaces')
    .innerJoin('imports', 'imports.workspace_id', 'workspaces.id')
    .select(['imports.workspace_id', 'imports.id'])
    .where('workspaces.deleted_at', 'is not', null)
    .where('imports.file_id', 'is not', null)
    .limit($.limit),
)

/** Imports with some statuses that have not changed since `before`. */
export const importsEndedBefore = unscopedQuery(
  (db, $: { states: ImportStatus[]; before: string; limit: number }, { inList }) =>
    db
      .selectFrom('imports')
      .select(['workspace_id', 'id', 'file_id'])
      .where(inList('imports.status', $.states))
      .where('updated_at', '<', $.before)
      .orderBy('updated_at')
      .limit($.limit),
)

export const insertImport = insertRow('imports', 'id', ...COLUMNS)

type SettableImportColumns = Exclude<
  keyof ImportRow,
  'workspace_id' | 'id' | 'created_by_id' | 'created_at'
>

export const setImport = memoizeByShape((columns: readonly SettableImportColumns[]) =>
  command((db, $: Scoped<ImportRow>) =>
    db
      .updateTable('imports')
      .set(pickSlots($, ...columns))
      .where('id', '=', $.id),
  ),
)

export const removeImport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('imports').where('id', '=', $.id),
)

/** Imports with some statuses that a job works on. */
export const importsWithJob = query(
  (db, $: Scoped<{ states: ImportStatus[]; limit: number }>, { inList }) =>
    db
      .selectFrom('imports')
      .select('id')
      .where(inList('imports.status', $.states))
      .where(hasOpenJob('import', 'imports'))
      .limit($.limit),
)

/** The time zone of the workspace, in which timestamps of a file become days. */
export const workspaceTimezone = query((db) => db.selectFrom('workspaces').select('timezone'))

/** Active members, to whom the people of a file can be matched. */
export const memberCandidates = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'memberships.role'])
    .where('memberships.removed_at', 'is', null)
    .limit($.limit),
)

/** The member who runs an import, with the columns that an actor needs. */
export const importActor = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select([
      'users.name',
      'users.timezone',
      'memberships.role',
      'workspaces.plan',
      'workspaces.timezone as workspace_timezone',
    ])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null),
)
