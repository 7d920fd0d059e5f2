import { DatabaseSync } from 'node:sqlite'

/**
 * Control: a server that treats a full disk as the failure of a single statement must fail the
 * disk-full experiment. In fact SQLite has rolled back the whole transaction: earlier statements
 * are lost, and later ones are committed without them.
 */
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
  const statement = prepare.call(this, sql)
  for (const method of ['run', 'get', 'all'] as const) {
    const execute = statement[method]
    const continueAfterLoss = (...values: unknown[]): unknown => {
      const wasOpen = this.isTransaction
      try {
        return Reflect.apply(execute, statement, values)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        // The savepoint was lost together with the transaction.
        if (message.startsWith('no such savepoint')) return undefined
        if (wasOpen && !this.isTransaction) this.exec('begin')
        throw new Error(message)
      }
    }
    Object.assign(statement, { [method]: continueAfterLoss })
  }
  return statement
}
await import('../server-variants/small-disk.ts')
