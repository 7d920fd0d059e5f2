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
import type { ImportFileRow, ImportRow } from '#db/schema/tables.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import type { ImportStatus } from './internal.ts'

const KEY_COLUMNS = ['workspace_id', 'id'] as const
const COLUMNS = [
  ...(['created_by_id', 'file_id', 'filename', 'size_bytes', 'kind', 'status', 'plan'] as const),
  ...(['made', 'row_count', 'done_count', 'made_count', 'failed_count', 'error'] as const),
  ...(['runner', 'runner_until', 'created_at', 'updated_at'] as const),
] as const

export const importById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('imports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** The latest imports of the workspace, newest first. */
export const latestImports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('imports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id', 'desc')
    .limit($.limit),
)

/**
 * Imports with some statuses in all undeleted workspaces that no job works on, because the previous
 * release has created or changed them.
 */
export const importsWithoutJob = unscopedQuery(
  (db, $: { states: ImportStatus[]; limit: number }, { inList }) =>
    db
      .selectFrom('imports')
      .select(['workspace_id', 'id', sql<ImportStatus>`status`.as('status')])
      .where(inList('imports.status', $.states))
      .where(sql<boolean>`not ${isDeletedWorkspace('imports.workspace_id')}`)
      .where(sql<boolean>`not ${hasOpenJob('import', 'imports')}`)
      .orderBy('updated_at')
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

export const insertImport = command((db, $: Scoped<ImportRow>) =>
  db.insertInto('imports').values(pickSlots($, ...KEY_COLUMNS, ...COLUMNS)),
)

type SettableImportColumns = Exclude<
  keyof ImportRow,
  (typeof KEY_COLUMNS)[number] | 'created_by_id' | 'created_at'
>

export const setImport = memoizeByShape((columns: readonly SettableImportColumns[]) =>
  command((db, $: Scoped<ImportRow>) =>
    db
      .updateTable('imports')
      .set(pickSlots($, ...columns))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

type ImportClaim = { id: string; runner: string; runner_until: string; now: string }

/** Claims an import. Changes no row if a process of the previous release holds it. */
export const claimImport = command((db, $: Scoped<ImportClaim>) =>
  db
    .updateTable('imports')
    .set(pickSlots($, 'runner', 'runner_until'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where((is) => is.or([is('runner', '=', $.runner), is('runner_until', '<', $.now)])),
)

export const removeImport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('imports').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

type ImportRowKey = { import_id: string; number: number }
type ImportRowValues = Omit<ImportFileRow, 'workspace_id' | 'import_id' | 'number'>
/** Values of many rows, bound as one JSON list. */
type ImportRowBatch<C extends keyof ImportRowValues> = {
  import_id: string
  rows: readonly Pick<ImportFileRow, 'number' | C>[]
}

/**
 * Inserts many rows, or sets columns of existing ones. This is not an UPDATE: while PostgreSQL has
 * no statistics of the table, it would scan all rows of the import for each one. A conflict uses
 * the key.
 */
const upsertRows = <C extends keyof ImportRowValues>(...columns: C[]) =>
  command((db, $: Scoped<ImportRowBatch<C>>, { engine }) => {
    const valueColumns = ['number', 'place', 'key', 'row', 'task_id', 'fault'] as const
    const values =
      engine === 'sqlite'
        ? sql`select ${$.workspace_id}, ${$.import_id}, value->>'number', value->>'place',
            value->>'key', coalesce(value->>'row', ''), value->>'task_id', value->>'fault'
            from json_each(${$.rows}) where true`
        : sql`select ${$.workspace_id}, ${$.import_id}, number, place, key, coalesce(row, ''), task_id, fault
            from json_to_recordset(${$.rows}::json) as given
              (number bigint, place bigint, key text, row text, task_id text, fault text)`
    return db
      .insertInto('import_rows')
      .columns(['workspace_id', 'import_id', ...valueColumns])
      .expression(values)
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'import_id', 'number'])
          .doUpdateSet((is) =>
            Object.fromEntries(columns.map((name) => [name, is.ref(`excluded.${name}`)])),
          ),
      )
  })

/** Stores rows that have been read and have no place in the order yet. */
export const insertImportRows = upsertRows('key', 'row', 'fault')
/** Sets the order in which rows are imported. */
export const setImportRowPlaces = upsertRows('place')
/** Sets the task that a row became, or why it became none. */
export const setImportRowResults = upsertRows('task_id', 'fault')

/** The next rows to import. */
export const importRowsAfter = query(
  (db, $: Scoped<{ import_id: string; after: number; limit: number }>) =>
    db
      .selectFrom('import_rows')
      .select(['number', 'place', 'row'])
      .where('workspace_id', '=', $.workspace_id)
      .where('import_id', '=', $.import_id)
      .where('place', '>', $.after)
      .orderBy('place')
      .limit($.limit),
)

/** Rows that became tasks, in reverse order: subtasks before their parents. */
export const createdTaskRowsBefore = query(
  (db, $: Scoped<{ import_id: string; before: number; limit: number }>) =>
    db
      .selectFrom('import_rows')
      .select(['number', 'place', 'task_id'])
      .where('workspace_id', '=', $.workspace_id)
      .where('import_id', '=', $.import_id)
      .where('place', '<', $.before)
      .where('task_id', 'is not', null)
      .orderBy('place', 'desc')
      .limit($.limit),
)

/** The task that the row with a key became. */
export const taskByImportKey = query((db, $: Scoped<{ import_id: string; key: string }>) =>
  db
    .selectFrom('import_rows')
    .select(['key', 'task_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('key', '=', $.key),
)

export const importFaults = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select(['number', 'row', 'fault'])
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('fault', 'is not', null)
    .orderBy('number')
    .limit($.limit),
)

/** The lowest row numbers that are left. Rows are removed in batches. */
export const firstImportRows = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select('number')
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .orderBy('number')
    .limit($.limit),
)

export const removeImportRowsUpTo = command((db, $: Scoped<ImportRowKey>) =>
  db
    .deleteFrom('import_rows')
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('number', '<=', $.number),
)

/**
 * Rows of an import that has ended which nobody needs: undoing it reads only those that it had come
 * to, because the others have become no tasks.
 */
export const unusedImportRows = memoizeByShape((place: 'after' | 'none') =>
  query((db, $: Scoped<{ import_id: string; after: number; limit: number }>) => {
    const rows = db
      .selectFrom('import_rows')
      .select('number')
      .where('workspace_id', '=', $.workspace_id)
      .where('import_id', '=', $.import_id)
    const unused =
      place === 'after' ? rows.where('place', '>', $.after) : rows.where('place', 'is', null)
    return unused.limit($.limit)
  }),
)

export const removeImportRow = command((db, $: Scoped<ImportRowKey>) =>
  db
    .deleteFrom('import_rows')
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('number', '=', $.number),
)

/** Imports with some statuses that a job works on. */
export const importsWithJob = query(
  (db, $: Scoped<{ states: ImportStatus[]; limit: number }>, { inList }) =>
    db
      .selectFrom('imports')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where(inList('imports.status', $.states))
      .where(hasOpenJob('import', 'imports'))
      .limit($.limit),
)

/** Active members, to whom the people of a file can be matched. */
export const memberCandidates = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'memberships.role'])
    .where('memberships.workspace_id', '=', $.workspace_id)
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
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null),
)
