import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A data directory that this process serves, and nobody else. */
export interface Held {
  /** The server before this one did not come to its end: the database should be looked at. */
  stoppedUncleanly: boolean
  /** Notes a clean stop and lets the next server in. */
  release(): void
}

export const DATABASE = 'docket.db'
const LOCK = 'server.lock'
const MARKER = 'running'

/** The result code of SQLite for a lock that somebody else holds. */
const BUSY = 5

/**
 * Makes this process the one server of a data directory; undefined where another one is. The lock is
 * SQLite's, on a file of its own: the system frees it however a process ends, so none is ever stale.
 */
export function holdDataDir(dataDir: string): Held | undefined {
  const lock = lockOf(dataDir)
  if (!lock) return undefined
  const marker = join(dataDir, MARKER)
  const stoppedUncleanly = existsSync(marker)
  if (!stoppedUncleanly) writeDurably(dataDir, marker)
  return {
    stoppedUncleanly,
    release() {
      rmSync(marker, { force: true })
      lock.close()
    },
  }
}

/**
 * Keeps servers out of a data directory without being one: what is noted of the last stop stays. Undefined
 * where a server is in it.
 */
export function lockDataDir(dataDir: string): { release(): void } | undefined {
  const lock = lockOf(dataDir)
  return lock && { release: () => lock.close() }
}

/** Whether a server holds the data directory now. */
export function isHeld(dataDir: string): boolean {
  if (!existsSync(join(dataDir, LOCK))) return false
  const lock = lockOf(dataDir)
  lock?.close()
  return lock === undefined
}

/** What `pragma quick_check` finds wrong with the database; undefined where it is sound, or not there. */
export function damageOf(dataDir: string): string | undefined {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) return undefined
  try {
    const db = new DatabaseSync(path, { timeout: 30_000 })
    try {
      const found = db.prepare('pragma quick_check(3)').all()
      const complaints = found.map((row) => String(Object.values(row)[0]))
      return complaints.join() === 'ok' ? undefined : complaints.join('; ')
    } finally {
      db.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function lockOf(dataDir: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(join(dataDir, LOCK), { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined
    throw error
  }
}

/** The file is there after a power cut too: for that its directory is flushed as well. */
function writeDurably(dataDir: string, path: string): void {
  const file = openSync(path, 'w', 0o600)
  writeSync(file, `${process.pid}\n`)
  fsyncSync(file)
  closeSync(file)
  const directory = openSync(dataDir, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
