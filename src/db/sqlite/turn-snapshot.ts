import type { DatabaseSync } from 'node:sqlite'
import type { EngineConnection } from '../core/transaction.ts'

/** A connection whose reads can share a snapshot of the database. */
interface TurnSnapshotConnection extends EngineConnection {
  /**
   * Lets the reads that follow share a snapshot until the sockets that were ready together have been
   * read. Only to be called in the callback of such a socket.
   */
  shareTurn(): void
  /** Whether a read holds a snapshot. */
  isHeld(): boolean
  /** Lets go of the snapshot, so that the next statement sees all commits before it. */
  endSnapshot(): void
}

/**
 * Lets statements share a read transaction: to begin and to end one takes locks of the file, which
 * cost as much as a third of a short statement, and of a GET of a task 15 %. The writer of this process ends the snapshot when it
 * begins and after each commit, because a snapshot that is held hides the commit and keeps SQLite from
 * reusing the write-ahead log.
 *
 * Another process may commit at any time, and a client that knows of its commit must see it. All
 * requests that arrived together were sent before the first of them is read, so they share a snapshot.
 * Only where 1,024 sockets were ready, libuv polls again in the same turn. A timer and `setImmediate` run
 * before sockets are polled again: what they read is let go of when their callback ends, because a
 * request that comes out of the next poll may be younger.
 */
export function shareTurnSnapshot(
  db: DatabaseSync,
  connection: EngineConnection,
): TurnSnapshotConnection {
  // Ended by a rollback, which succeeds on a damaged file, too.
  const [begin, rollback] = [db.prepare('begin'), db.prepare('rollback')]
  let isHeld = false
  let isTurnShared = false

  function endSnapshot(): void {
    if (!isHeld) return
    isHeld = false
    // Some errors of a statement have ended the transaction already.
    if (db.isOpen && db.isTransaction) rollback.run()
  }

  function endTurn(): void {
    isTurnShared = false
    endSnapshot()
  }

  return {
    ...connection,
    shareTurn() {
      if (isTurnShared) return
      isTurnShared = true
      // Runs once the ready sockets have been read, and before they are polled again.
      setImmediate(endTurn)
    },
    rows(sql, values) {
      if (!isHeld) {
        begin.run()
        isHeld = true
        if (!isTurnShared) process.nextTick(endSnapshot)
      }
      return connection.rows(sql, values)
    },
    isHeld: () => isHeld,
    endSnapshot,
  }
}
