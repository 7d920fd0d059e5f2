import type { DatabaseSync } from 'node:sqlite'
import type { EngineConnection } from '../core/transaction.ts'

/** A connection whose reads of one turn of the event loop share a snapshot of the database. */
export interface TurnSnapshotConnection extends EngineConnection {
  /** Whether a read of this turn holds a snapshot. */
  isHeld(): boolean
  /** Lets go of the snapshot, so that the next statement sees all commits before it. */
  endSnapshot(): void
}

/**
 * Lets the statements of a turn share a read transaction: to begin and to end one takes locks of the
 * file, which cost as much as a third of a short statement. The writer of this process ends the
 * snapshot when it begins and after each commit, because a snapshot that is held hides the commit and
 * keeps SQLite from reusing the write-ahead log. A commit of another process, which during a turn
 * has no order with its reads, is visible from the next turn on.
 */
export function shareTurnSnapshot(
  db: DatabaseSync,
  connection: EngineConnection,
): TurnSnapshotConnection {
  // Ended by a rollback, which succeeds on a damaged file, too.
  const [begin, rollback] = [db.prepare('begin'), db.prepare('rollback')]
  let isHeld = false

  function endSnapshot(): void {
    if (!isHeld) return
    isHeld = false
    // Some errors of a statement have ended the transaction already.
    if (db.isOpen && db.isTransaction) rollback.run()
  }

  return {
    ...connection,
    rows(sql, values) {
      if (!isHeld) {
        begin.run()
        isHeld = true
        setImmediate(endSnapshot)
      }
      return connection.rows(sql, values)
    },
    isHeld: () => isHeld,
    endSnapshot,
  }
}
