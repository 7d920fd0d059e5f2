import { sql } from 'kysely'
import { isDeletedWorkspace } from '#storage/deleted-workspaces.ts'
import { command, query, queryOfAll, row, type Scoped, shaped } from '#storage/statement.ts'
import type { ImportRow, ImportRowRow } from '#storage/tables.ts'
import type { State } from './internal.ts'

const ID = ['workspace_id', 'id'] as const
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

/** The latest of the workspace, the newest first. */
export const latestImports = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('imports')
    .select(['id', ...COLUMNS])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id', 'desc')
    .limit($.limit),
)

/** Those in some states, of all workspaces that are not deleted, the longest untouched first. */
export const importsIn = queryOfAll((db, $: { states: State[]; limit: number }, { among }) =>
  db
    .selectFrom('imports')
    .select(['workspace_id', 'id'])
    .where(among('imports.status', $.states))
    .where(sql<boolean>`not ${isDeletedWorkspace('imports.workspace_id')}`)
    .orderBy('updated_at')
    .limit($.limit),
)

/** Those that have a file yet, of deleted workspaces. */
export const importsOfDeleted = queryOfAll((db, $: { limit: number }) =>
  db
    .selectFrom('workspaces')
    .innerJoin('imports', 'imports.workspace_id', 'workspaces.id')
    .select(['imports.workspace_id', 'imports.id'])
    .where('workspaces.deleted_at', 'is not', null)
    .where('imports.file_id', 'is not', null)
    .limit($.limit),
)

/** Those that ended before then. */
export const importsBefore = queryOfAll(
  (db, $: { states: State[]; before: string; limit: number }, { among }) =>
    db
      .selectFrom('imports')
      .select(['workspace_id', 'id', 'file_id'])
      .where(among('imports.status', $.states))
      .where('updated_at', '<', $.before)
      .orderBy('updated_at')
      .limit($.limit),
)

export const insertImport = command((db, $: Scoped<ImportRow>) =>
  db.insertInto('imports').values(row($, ...ID, ...COLUMNS)),
)

type Settable = Exclude<keyof ImportRow, (typeof ID)[number] | 'created_by_id' | 'created_at'>

/** Sets some columns. */
export const setImport = shaped((columns: readonly Settable[]) =>
  command((db, $: Scoped<ImportRow>) =>
    db
      .updateTable('imports')
      .set(row($, ...columns))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

type Claim = { id: string; runner: string; runner_until: string; now: string }

/** Says who works on it from now on; no row: another process does. */
export const claimImport = command((db, $: Scoped<Claim>) =>
  db
    .updateTable('imports')
    .set(row($, 'runner', 'runner_until'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where((is) => is.or([is('runner', '=', $.runner), is('runner_until', '<', $.now)])),
)

export const removeImport = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('imports').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

type OneRow = { import_id: string; number: number }
type Known = Omit<ImportRowRow, 'workspace_id' | 'import_id' | 'number'>
/** What becomes known of rows, bound as one list. */
type Many<C extends keyof Known> = {
  import_id: string
  rows: readonly Pick<ImportRowRow, 'number' | C>[]
}

/**
 * Writes down many rows, or what becomes known of them. Not as an update: where PostgreSQL has no figures of
 * the table yet, it would look for each among all rows of the import. A conflict goes by the key.
 */
const writeRows = <C extends keyof Known>(...columns: C[]) =>
  command((db, $: Scoped<Many<C>>, { engine }) => {
    const names = ['number', 'place', 'key', 'row', 'task_id', 'fault'] as const
    const given =
      engine === 'sqlite'
        ? sql`select ${$.workspace_id}, ${$.import_id}, value->>'number', value->>'place',
            value->>'key', coalesce(value->>'row', ''), value->>'task_id', value->>'fault'
            from json_each(${$.rows}) where true`
        : sql`select ${$.workspace_id}, ${$.import_id}, number, place, key, coalesce(row, ''), task_id, fault
            from json_to_recordset(${$.rows}::json) as given
              (number bigint, place bigint, key text, row text, task_id text, fault text)`
    return db
      .insertInto('import_rows')
      .columns(['workspace_id', 'import_id', ...names])
      .expression(given)
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'import_id', 'number'])
          .doUpdateSet((is) =>
            Object.fromEntries(columns.map((name) => [name, is.ref(`excluded.${name}`)])),
          ),
      )
  })

/** Keeps rows that were read, and have no turn yet. */
export const keepRows = writeRows('key', 'row', 'fault')
/** Says when it is their turn. */
export const setPlaces = writeRows('place')
/** What became of them. */
export const settleRows = writeRows('task_id', 'fault')

/** The rows whose turn is next. */
export const rowsAfter = query(
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

/** The rows that made a task, from behind: subtasks before their parents. */
export const madeBefore = query(
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

/** The task that was made of the row with a key. */
export const taskOfKey = query((db, $: Scoped<{ import_id: string; key: string }>) =>
  db
    .selectFrom('import_rows')
    .select(['key', 'task_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('key', '=', $.key),
)

export const faultsOf = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select(['number', 'row', 'fault'])
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('fault', 'is not', null)
    .orderBy('number')
    .limit($.limit),
)

/** The first numbers of rows that are left, and their removal up to one. */
export const someRows = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select('number')
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .orderBy('number')
    .limit($.limit),
)

export const removeRowsTo = command((db, $: Scoped<OneRow>) =>
  db
    .deleteFrom('import_rows')
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .where('number', '<=', $.number),
)

/** Active members, by whom the people of a file may be meant. */
export const membersToMean = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'memberships.role'])
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.removed_at', 'is', null)
    .limit($.limit),
)

/** Who runs an import, with what an actor needs. */
export const importer = query((db, $: Scoped<{ user_id: string }>) =>
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
