import { sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
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

/** Those in some states, of all workspaces, the longest untouched first. */
export const importsIn = queryOfAll((db, $: { states: State[]; limit: number }, { among }) =>
  db
    .selectFrom('imports')
    .select(['workspace_id', 'id'])
    .where(among('imports.status', $.states))
    .orderBy('updated_at')
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

const ROW = ['number', 'place', 'key', 'row', 'task_id', 'fault'] as const

type OneRow = { import_id: string; number: number }
type Given = Omit<ImportRowRow, 'workspace_id' | 'import_id'>
/** Some columns of rows, which are bound as one list. */
type Many<C extends keyof Given> = { import_id: string; rows: readonly Pick<Given, 'number' | C>[] }

/** Such rows as a table `given`: what is not said of them is null. */
const givenBy = (engine: Dialect['engine'], rows: unknown) =>
  engine === 'sqlite'
    ? sql<Given>`(select value->>'number' as number, value->>'place' as place, value->>'key' as key,
        value->>'row' as row, value->>'task_id' as task_id, value->>'fault' as fault
        from json_each(${rows}))`.as<'given'>(sql`given`)
    : sql<Given>`json_to_recordset(${rows}::json)`.as<'given'>(
        sql`given (number bigint, place bigint, key text, row text, task_id text, fault text)`,
      )

/** Keeps rows that were read, and have no turn yet. */
export const insertRows = command((db, $: Scoped<Many<'key' | 'row' | 'fault'>>, { engine }) =>
  db
    .insertInto('import_rows')
    .columns(['workspace_id', 'import_id', ...ROW])
    .expression(
      db
        .selectFrom(givenBy(engine, $.rows))
        .select((is) => [
          is.val($.workspace_id).as('workspace_id'),
          is.val($.import_id).as('import_id'),
        ])
        .select(ROW),
    ),
)

/** Says of rows when it is their turn. */
export const setPlaces = command((db, $: Scoped<Many<'place'>>, { engine }) =>
  db
    .updateTable('import_rows')
    .from(givenBy(engine, $.rows))
    .set((is) => ({ place: is.ref('given.place') }))
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .whereRef('import_rows.number', '=', 'given.number'),
)

/** What became of rows. */
export const settleRows = command((db, $: Scoped<Many<'task_id' | 'fault'>>, { engine }) =>
  db
    .updateTable('import_rows')
    .from(givenBy(engine, $.rows))
    .set((is) => ({ task_id: is.ref('given.task_id'), fault: is.ref('given.fault') }))
    .where('workspace_id', '=', $.workspace_id)
    .where('import_id', '=', $.import_id)
    .whereRef('import_rows.number', '=', 'given.number'),
)

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

/** The tasks that were made of rows with these keys. */
export const tasksOfKeys = query(
  (db, $: Scoped<{ import_id: string; keys: readonly string[] }>, { among }) =>
    db
      .selectFrom('import_rows')
      .select(['key', 'task_id'])
      .where('workspace_id', '=', $.workspace_id)
      .where('import_id', '=', $.import_id)
      .where(among('import_rows.key', $.keys)),
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
