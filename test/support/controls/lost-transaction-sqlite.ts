import {
  DatabaseSync,
  type DatabaseSyncOptions,
  type FunctionOptions,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'

const ENDS = /^(commit|rollback|release)/

/**
 * Treats a full disk as the failure of a single statement. In fact SQLite has rolled back the whole
 * transaction: later statements commit one by one, and earlier ones are lost.
 */
class TrustingDatabase {
  readonly #db: DatabaseSync
  readonly isTransaction = true

  constructor(path: string, options?: DatabaseSyncOptions) {
    this.#db = new DatabaseSync(path, options)
  }

  prepare(sql: string): StatementSync {
    const statement = this.#db.prepare(sql)
    const run = statement.run.bind(statement)
    return Object.assign(statement, {
      run: (...values: []) => {
        if (ENDS.test(sql) && !this.#db.isTransaction) return { changes: 0, lastInsertRowid: 0 }
        try {
          return run(...values)
        } catch (error) {
          throw new Error(error instanceof Error ? error.message : String(error))
        }
      },
    })
  }

  exec(sql: string): void {
    if (!ENDS.test(sql) || this.#db.isTransaction) this.#db.exec(sql)
  }

  function(
    name: string,
    options: FunctionOptions,
    compute: (...values: SQLOutputValue[]) => SQLInputValue,
  ): void {
    this.#db.function(name, options, compute)
  }

  location(): string | null {
    return this.#db.location()
  }

  close(): void {
    this.#db.close()
  }
}

export { TrustingDatabase as DatabaseSync }
