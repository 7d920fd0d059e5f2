import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { unavailable } from '#core/refusal.ts'
import { changing, meaningOf } from './sqlite-session.ts'
import type { Connection } from './transaction.ts'

const MOST_STATEMENTS = 1_000

/** Opens the database for what only reads: each statement sees what is committed when it begins. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5_000, readOnly: true })
  db.exec('pragma cache_size = -32768; pragma temp_store = memory')
  return db
}

/** Gives work a connection of its own that sees one state of the database for as long as it takes. */
export async function inSnapshot<T>(
  path: string,
  work: (on: Connection) => Promise<T>,
): Promise<T> {
  const own = openForReading(path)
  try {
    own.exec('begin')
    return await work(connection(own))
  } catch (error) {
    return told(error)
  } finally {
    own.close()
  }
}

/** A damaged or busy file is no fault of the request's: it may be asked again. */
export function told(error: unknown): never {
  if (meaningOf(error) === 'statement') throw error
  throw unavailable('The database cannot be read now.', error)
}

/** What a transaction needs of SQLite; statements are prepared once. */
export function connection(db: DatabaseSync): Connection {
  const prepared = new Map<string, { statement: StatementSync; columns: string[] }>()

  function prepare(sql: string) {
    let made = prepared.get(sql)
    if (!made) {
      if (prepared.size >= MOST_STATEMENTS) prepared.clear()
      let statement = db.prepare(sql)
      const columns = statement.columns().map(({ name }) => name)
      if (columns.length === 0) statement = changing(db, sql)
      statement.setReturnArrays(true)
      made = { statement, columns }
      prepared.set(sql, made)
    }
    return made
  }

  return {
    engine: 'sqlite',
    rows(sql, values) {
      const { statement, columns } = prepare(sql)
      const rows: unknown[] = statement.all(...(values as SQLInputValue[]))
      return rows.map((row) => record(columns, row as unknown[]))
    },
    change: (sql, values) =>
      Number(prepare(sql).statement.run(...(values as SQLInputValue[])).changes),
    savepoint: (step, name) => {
      prepare(`${step} ${name}`).statement.run()
    },
  }
}

/** The objects that node:sqlite itself would make have no prototype, and JSON.stringify is slow on them. */
function record(columns: string[], row: unknown[]): object {
  const made: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) made[columns[at] as string] = row[at]
  return made
}
