import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** SQLITE_IOERR_FSYNC (https://sqlite.org/rescode.html). */
const SQLITE_IOERR_FSYNC = 1034
/** Longer than the time that clients have to get their errors. */
const STANDSTILL_MS = 500
let isArmed = false
let failing = false
process.on('SIGUSR2', () => {
  isArmed = true
  process.stderr.write('fails from now on\n')
})

/**
 * A server in which, after SIGUSR2, every fsync of a commit fails, beginning with that of a new task: the
 * server's own jobs may write before any client does. The commit may or may not be on the disk, and a
 * retry would seem to succeed. TEST_FLUSH chooses the outcome.
 */
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
  const statement = prepare.call(this, sql)
  if (sql !== 'commit')
    return sql.startsWith('insert into "tasks"') ? failLater(statement) : statement
  const run = statement.run.bind(statement)
  return Object.assign(statement, {
    run: () => {
      if (!failing) return run()
      if (process.env.TEST_FLUSH === 'kept') run()
      process.stderr.write('refused to flush\n')
      process.nextTick(standStill)
      throw Object.assign(new Error('disk I/O error'), { errcode: SQLITE_IOERR_FSYNC })
    },
  })
}
await import('../../../src/main.ts')

function failLater(insert: StatementSync): StatementSync {
  const run = insert.run.bind(insert)
  return Object.assign(insert, {
    run: (...parameters: Parameters<typeof run>) => {
      failing ||= isArmed
      return run(...parameters)
    },
  })
}

/** Stops the process before it can send its errors, as a busy machine may do. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS)
}
