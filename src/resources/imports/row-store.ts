import { sql } from 'kysely'
import { command, memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { ImportFileRow } from '#db/schema/tables.ts'

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
    const valueColumns = ['number', 'place', 'key', 'row', 'task_id', 'fault', 'warning'] as const
    const values =
      engine === 'sqlite'
        ? sql`select ${$.workspace_id}, ${$.import_id}, value->>'number', value->>'place',
            value->>'key', coalesce(value->>'row', ''), value->>'task_id', value->>'fault',
            value->>'warning'
            from json_each(${$.rows}) where true`
        : sql`select ${$.workspace_id}, ${$.import_id}, number, place, key, coalesce(row, ''), task_id, fault,
            warning
            from json_to_recordset(${$.rows}::json) as given
              (number bigint, place bigint, key text, row text, task_id text, fault text, warning text)`
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
export const insertImportRows = upsertRows('key', 'row', 'fault', 'warning')
/** Sets the order in which rows are imported. */
export const setImportRowPlaces = upsertRows('place')
/** Sets the task that a row became, or why it became none, and replaces its values. */
export const setImportRowResults = upsertRows('place', 'row', 'task_id', 'fault', 'warning')

/** In bytes: the size of the stored values of a row, which is read without them. */
const rowSize = sql<number>`octet_length(${sql.ref('row')})`.as('size')

/** The sizes of the next rows to import. */
export const importRowSizesAfter = query(
  (db, $: Scoped<{ import_id: string; after: number; limit: number }>) =>
    db
      .selectFrom('import_rows')
      .select(rowSize)
      .where('import_id', '=', $.import_id)
      .where('place', '>', $.after)
      .orderBy('place')
      .limit($.limit),
)

/** The next rows to import. */
export const importRowsAfter = query(
  (db, $: Scoped<{ import_id: string; after: number; limit: number }>) =>
    db
      .selectFrom('import_rows')
      .select(['place', 'row', 'warning'])
      .where('import_id', '=', $.import_id)
      .where('place', '>', $.after)
      .orderBy('place')
      .limit($.limit),
)

/** The task that the row with a key became. */
export const taskByImportKey = query((db, $: Scoped<{ import_id: string; key: string }>) =>
  db
    .selectFrom('import_rows')
    .select(['key', 'task_id'])
    .where('import_id', '=', $.import_id)
    .where('key', '=', $.key),
)

export const importFaults = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select(['number', 'row', 'fault'])
    .where('import_id', '=', $.import_id)
    .where('fault', 'is not', null)
    .orderBy('number')
    .limit($.limit),
)

export const importWarnings = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select(['number', 'warning'])
    .where('import_id', '=', $.import_id)
    .where('warning', 'is not', null)
    .orderBy('number')
    .limit($.limit),
)

/** Deletes at most `limit` rows with faults. */
export const removeImportFaults = command((db, $: Scoped<{ import_id: string; limit: number }>) => {
  const numbers = sql<number>`(select number from import_rows
      where workspace_id = ${$.workspace_id} and import_id = ${$.import_id} and fault is not null
      limit ${$.limit})`
  return db
    .deleteFrom('import_rows')
    .where('import_id', '=', $.import_id)
    .where('number', 'in', numbers)
})

/** Deletes at most `limit` warnings. Their rows hold the tasks that an undo takes back. */
export const removeImportWarnings = command(
  (db, $: Scoped<{ import_id: string; limit: number }>) => {
    const numbers = sql<number>`(select number from import_rows
      where workspace_id = ${$.workspace_id} and import_id = ${$.import_id} and warning is not null
      limit ${$.limit})`
    return db
      .updateTable('import_rows')
      .set({ warning: null })
      .where('import_id', '=', $.import_id)
      .where('number', 'in', numbers)
  },
)

/** The lowest row numbers that are left. Rows are removed in batches. */
export const firstImportRows = query((db, $: Scoped<{ import_id: string; limit: number }>) =>
  db
    .selectFrom('import_rows')
    .select(['number', rowSize])
    .where('import_id', '=', $.import_id)
    .orderBy('number')
    .limit($.limit),
)

export const removeImportRowsUpTo = command((db, $: Scoped<ImportRowKey>) =>
  db.deleteFrom('import_rows').where('import_id', '=', $.import_id).where('number', '<=', $.number),
)

/**
 * Rows of an import that has ended which nobody needs. Undoing it reads only those that it had come
 * to and that became tasks; the others have a later place or none.
 */
export const unusedImportRows = memoizeByShape((place: 'after' | 'none' | 'none, no fault') =>
  query((db, $: Scoped<{ import_id: string; after: number; limit: number }>) => {
    const rows = db
      .selectFrom('import_rows')
      .select(['number', rowSize])
      .where('import_id', '=', $.import_id)
    if (place === 'after') return rows.where('place', '>', $.after).limit($.limit)
    const unplaced = rows.where('place', 'is', null)
    const unused = place === 'none' ? unplaced : unplaced.where('fault', 'is', null)
    return unused.limit($.limit)
  }),
)

export const removeImportRow = command((db, $: Scoped<ImportRowKey>) =>
  db.deleteFrom('import_rows').where('import_id', '=', $.import_id).where('number', '=', $.number),
)
