import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from 'node:sqlite'

const ENDS = /^(commit|rollback|release)/

/**
 * Takes a full disk for the failure of one statement, and the transaction that is lost with it for one
 * that goes on: what follows then commits by itself, and what came before is gone.
 */
class Trusting {
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

  location(): string | null {
    return this.#db.location()
  }

  close(): void {
    this.#db.close()
  }
}

export { Trusting as DatabaseSync }
