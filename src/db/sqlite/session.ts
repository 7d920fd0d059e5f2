import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditWriter } from '../audit/audit-log.ts'
import type { EngineErrorKind, WriteSession } from '../core/group-commit.ts'
import type { EngineConnection } from '../core/transaction.ts'

/** Primary result codes of SQLite that affect the whole transaction. */
const BUSY = 5
const LOCKED = 6
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

const LOCK_TIMEOUT_MS = 5_000
/**
 * After a failed flush the process lives for these pauses, so that waiting clients get their errors. A
 * single timer would end a process that stood still meanwhile before it has sent one.
 */
const PAUSES_BEFORE_END = 10
const PAUSE_BEFORE_END_MS = 25

const resultCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0

/** Classifies an error: a full or failing disk rolls back the whole transaction. */
export function classifySqliteError(error: unknown): EngineErrorKind {
  const code = resultCode(error)
  if (code === BUSY || code === LOCKED) return 'again'
  return [IOERR, CORRUPT, FULL, CANTOPEN, NOTADB].includes(code) ? 'lost' : 'statement'
}

interface SqliteSessionOptions {
  /** Called before each transaction. */
  onBegin: () => void
  /** Called after each commit. */
  onCommit: () => void
  onFatal: (error: unknown) => void
}

/**
 * The only connection that writes. A checkpoint or another process (the command line) may hold the lock
 * for a moment; the session waits for it without blocking the event loop.
 */
export function createSqliteSession(
  db: DatabaseSync,
  writer: EngineConnection & { changes: number },
  auditWriter: AuditWriter,
  { onBegin, onCommit, onFatal }: SqliteSessionOptions,
): WriteSession & { failing: boolean } {
  const [begin, commit] = [
    prepareWriteStatement(db, 'begin immediate'),
    prepareWriteStatement(db, 'commit'),
  ]
  let fatalError: unknown
  return {
    /** Whether the last group was lost to the disk. */
    failing: false,
    savepoint: writer.savepoint,
    get changes() {
      return writer.changes
    },
    begin() {
      if (fatalError !== undefined) throw fatalError
      auditWriter.begin()
      onBegin()
      try {
        begin.run()
        return
      } catch (error) {
        return beginWhenFree(error)
      }
    },
    async commit() {
      await auditWriter.write()
      // A savepoint that fails on a full disk ends the transaction silently and loses its changes.
      if (!db.isTransaction) throw new Error('The transaction was lost before its commit')
      commit.run()
      this.failing = false
      onCommit()
      auditWriter.announce()
    },
    rollback() {
      if (db.isTransaction) db.exec('rollback')
    },
    end(error) {
      if (error === undefined) return
      this.failing = true
      if (resultCode(error) !== IOERR || fatalError !== undefined) return
      // After a failed flush the page cache cannot be trusted, so the process must restart.
      fatalError = error
      void endProcess(error)
    },
  }

  async function endProcess(error: unknown): Promise<void> {
    for (let count = 0; count < PAUSES_BEFORE_END; count += 1) await pause(PAUSE_BEFORE_END_MS)
    onFatal(error)
  }

  async function beginWhenFree(first: unknown): Promise<void> {
    const end = performance.now() + LOCK_TIMEOUT_MS
    let error = first
    while (resultCode(error) === BUSY && performance.now() < end) {
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
 * Prepares a statement that changes rows. run() always returns the last inserted rowid, even of an
 * earlier statement, and throws if it exceeds a JavaScript number. FTS5 uses such rowids for its
 * deletion records, so integers are read as bigint.
 */
export function prepareWriteStatement(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
}
