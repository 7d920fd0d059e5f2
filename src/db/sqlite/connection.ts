import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { serviceUnavailable } from '#core/api-error.ts'
import type { EngineConnection } from '../core/transaction.ts'
import { hasSearchWords } from '../tasks/search-words.ts'
import { classifySqliteError, prepareWriteStatement } from './session.ts'

const MAX_STATEMENTS = 1_000

/** Adds the function that the search of `Dialect` needs. */
export function addSearchSupport(db: DatabaseSync): void {
  db.function(
    'has_search_words',
    { deterministic: true, directOnly: true },
    (title, description, search) =>
      Number(
        hasSearchWords(
          String(title),
          description === null ? null : String(description),
          String(search),
        ),
      ),
  )
}

/** Opens the database read-only: each statement sees what is committed when it begins. */
export function openSqliteReader(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5_000, readOnly: true })
  db.exec('pragma cache_size = -32768; pragma temp_store = memory')
  return db
}

/** Runs work on a dedicated connection that sees one snapshot, however long it takes. */
export async function withSqliteSnapshot<T>(
  path: string,
  work: (on: EngineConnection) => Promise<T>,
): Promise<T> {
  const snapshot = openSqliteReader(path)
  try {
    snapshot.exec('begin')
    return await work(createSqliteConnection(snapshot))
  } catch (error) {
    return throwReadError(error)
  } finally {
    snapshot.close()
  }
}

/** Turns the error of a damaged or busy file into a 503, which the client may retry. */
function throwReadError(error: unknown): never {
  if (classifySqliteError(error) === 'statement') throw error
  throw serviceUnavailable('The database cannot be read now.', error)
}

/** Wraps a connection for reading, so that such errors become a 503. */
export const withReadErrors = (connection: EngineConnection): EngineConnection => ({
  ...connection,
  rows(sql, values) {
    try {
      return connection.rows(sql, values)
    } catch (error) {
      return throwReadError(error)
    }
  },
})

/** Adapts SQLite to the interface that a transaction needs; statements are prepared once. */
export function createSqliteConnection(db: DatabaseSync): EngineConnection {
  addSearchSupport(db)
  const prepared = new Map<string, { statement: StatementSync; columns: string[] }>()

  function prepare(sql: string) {
    let entry = prepared.get(sql)
    if (!entry) {
      if (prepared.size >= MAX_STATEMENTS) prepared.clear()
      let statement = db.prepare(sql)
      const columns = statement.columns().map(({ name }) => name)
      if (columns.length === 0) statement = prepareWriteStatement(db, sql)
      statement.setReturnArrays(true)
      entry = { statement, columns }
      prepared.set(sql, entry)
    }
    return entry
  }

  return {
    engine: 'sqlite',
    rows(sql, values) {
      const { statement, columns } = prepare(sql)
      const rows: unknown[] = statement.all(...values.map(toInput))
      return rows.map((row) => toObject(columns, row as unknown[]))
    },
    change: (sql, values) => Number(prepare(sql).statement.run(...values.map(toInput)).changes),
    savepoint: (step, name) => {
      prepare(`${step} ${name}`).statement.run()
    },
  }
}

/**
 * node:sqlite binds a number as a floating-point one, which SQLite writes into text as `2.0`: PostgreSQL
 * would not accept that as an integer.
 */
const toInput = (value: unknown): SQLInputValue =>
  Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue)

/** Objects from node:sqlite have no prototype, which makes JSON.stringify slow. */
function toObject(columns: string[], row: unknown[]): object {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) object[columns[at] as string] = row[at]
  return object
}
