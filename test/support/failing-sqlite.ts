import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** SQLITE_IOERR_FSYNC */
const FSYNC = 1034
let failing = false
process.on('SIGUSR2', () => {
  failing = true
  process.stderr.write('fails from now on\n')
})

/**
 * What a disk that fails to flush makes of a commit: it may be on the disk all the same, or not. Tried
 * again, as if nothing were, it would seem to succeed.
 */
class Failing extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql)
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
        throw Object.assign(new Error('disk I/O error'), { errcode: FSYNC })
      },
    })
  }
}

export { Failing as DatabaseSync }
