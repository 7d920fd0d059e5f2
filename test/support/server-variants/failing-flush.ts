import { DatabaseSync } from 'node:sqlite'

/** SQLITE_IOERR_FSYNC (https://sqlite.org/rescode.html). */
const SQLITE_IOERR_FSYNC = 1034
let failing = false
process.on('SIGUSR2', () => {
  failing = true
  process.stderr.write('fails from now on\n')
})

/**
 * A server in which, after SIGUSR2, every fsync of a commit fails. The commit may or may not be on
 * the disk, and a retry would seem to succeed. TEST_FLUSH chooses the outcome.
 */
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
  const statement = prepare.call(this, sql)
  if (sql !== 'commit') return statement
  const run = statement.run.bind(statement)
  return Object.assign(statement, {
    run: () => {
      if (!failing) return run()
      const { TEST_FLUSH } = process.env
      if (TEST_FLUSH === 'kept') run()
      if (TEST_FLUSH === 'overlooked') {
        this.exec('rollback')
        return { changes: 0, lastInsertRowid: 0 }
      }
      process.stderr.write('refused to flush\n')
      throw Object.assign(new Error('disk I/O error'), { errcode: SQLITE_IOERR_FSYNC })
    },
  })
}
await import('../../../src/main.ts')
