import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Meaning, Session } from './group-commit.ts'
import type { Ledger } from './ledger.ts'
import type { Connection } from './transaction.ts'

/** Primary result codes of SQLite that change what becomes of a transaction. */
const BUSY = 5
const LOCKED = 6
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

const PATIENCE_MS = 5_000
/** So long after a failed flush those who waited for it are told, before the process ends. */
const LAST_WORDS_MS = 250

const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0

/** SQLite rolls the whole transaction back on a full or failing disk, not only the statement. */
export function meaningOf(error: unknown): Meaning {
  const code = codeOf(error)
  if (code === BUSY || code === LOCKED) return 'again'
  return [IOERR, CORRUPT, FULL, CANTOPEN, NOTADB].includes(code) ? 'lost' : 'statement'
}

/**
 * The one connection that writes. Another process (the command line) may hold the lock for a
 * moment: it is waited for without holding up the event loop.
 */
export function sqliteSession(
  db: DatabaseSync,
  writer: Connection & { changes: number },
  ledger: Ledger,
  onFatal: (error: unknown) => void,
): Session & { failing: boolean } {
  const [begin, commit] = [changing(db, 'begin immediate'), changing(db, 'commit')]
  let dead: unknown
  return {
    /** Whether the last group was lost to the disk. */
    failing: false,
    savepoint: writer.savepoint,
    get changes() {
      return writer.changes
    },
    begin() {
      if (dead !== undefined) throw dead
      ledger.begin()
      try {
        begin.run()
        return
      } catch (error) {
        return waitFor(error)
      }
    },
    async commit() {
      await ledger.write()
      // A savepoint lost to a full disk ends the transaction silently: what it held is gone.
      if (!db.isTransaction) throw new Error('The transaction was lost before its commit')
      commit.run()
      this.failing = false
    },
    rollback() {
      if (db.isTransaction) db.exec('rollback')
    },
    end(error) {
      if (error === undefined) return
      this.failing = true
      if (codeOf(error) !== IOERR || dead !== undefined) return
      // After a failed flush the page cache can no longer be trusted: only a new start may read on.
      dead = error
      setTimeout(onFatal, LAST_WORDS_MS, error)
    },
  }

  async function waitFor(first: unknown): Promise<void> {
    const end = performance.now() + PATIENCE_MS
    let error = first
    while (codeOf(error) === BUSY && performance.now() < end) {
      await pause(2)
      try {
        begin.run()
        return
      } catch (next) {
        error = next
      }
    }
    throw error
  }
}

/**
 * Prepares what changes rows. Whatever runs tells the number of the row that was inserted last, of
 * whichever statement, and fails where that is beyond a JavaScript number: such are those that the
 * index of words gives to its notes of what is gone.
 */
export function changing(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
}
