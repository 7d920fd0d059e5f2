import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateDatabase } from '../sqlite/private-file.ts'

/**
 * Creates a directory and those above it, unless it exists. Not by `recursive` of Node: where nothing
 * can be created, as in /proc, that tries for ever.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return
  if (!stat && dirname(path) !== path) makeDirectory(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** A data directory that only this process serves. */
export interface ServedDataDir {
  /** The previous server did not stop cleanly, so the database should be checked. */
  hadUncleanStop: boolean
  /** Records a clean stop and releases the directory for the next server. */
  release(): void
}

export const DATABASE_FILENAME = 'docket.db'
const LOCK_FILENAME = 'server.lock'
const MARKER_FILENAME = 'running'

/** SQLITE_READONLY, SQLITE_FULL and SQLITE_CANTOPEN. */
const ACCESS_CODES = new Set([8, 13, 14])
/** The result code SQLITE_BUSY: another connection holds the lock. */
const SQLITE_BUSY = 5

/** Creates the data directory and an empty database, if there are none. Returns the path. */
export function prepareDatabaseFile(dataDir: string): string {
  makeDirectory(dataDir, 0o700)
  const path = join(dataDir, DATABASE_FILENAME)
  ensurePrivateDatabase(path)
  return path
}

/**
 * Makes this process the only server of a data directory; undefined if there is another. The lock is a
 * SQLite lock on a separate file: the operating system frees it however the process ends, so it never
 * becomes stale.
 */
export function serveDataDir(dataDir: string): ServedDataDir | undefined {
  const lock = openLock(dataDir)
  if (!lock) return undefined
  const marker = join(dataDir, MARKER_FILENAME)
  const stoppedUncleanly = existsSync(marker)
  if (!stoppedUncleanly) writeDurably(dataDir, marker)
  return {
    hadUncleanStop: stoppedUncleanly,
    release() {
      rmSync(marker, { force: true })
      lock.close()
    },
  }
}

/**
 * Locks servers out of a data directory without serving it, and keeps the marker of an unclean stop.
 * Undefined while a server uses the directory.
 */
export function lockDataDir(dataDir: string): { release(): void } | undefined {
  const lock = openLock(dataDir)
  return lock && { release: () => lock.close() }
}

/** Whether a server uses the data directory now. */
export function isDataDirServed(dataDir: string): boolean {
  if (!existsSync(join(dataDir, LOCK_FILENAME))) return false
  const lock = openLock(dataDir)
  lock?.close()
  return lock === undefined
}

/**
 * The complaints of `pragma quick_check`; undefined if the database is sound or does not exist. Throws
 * if it cannot be opened.
 */
export function findDatabaseDamage(dataDir: string): string | undefined {
  const path = join(dataDir, DATABASE_FILENAME)
  if (!existsSync(path)) return undefined
  try {
    const db = new DatabaseSync(path, { timeout: 30_000 })
    try {
      const complaintRows = db.prepare('pragma quick_check(3)').all()
      const complaints = complaintRows.map((row) => String(Object.values(row)[0]))
      return complaints.join() === 'ok' ? undefined : complaints.join('; ')
    } finally {
      db.close()
    }
  } catch (error) {
    if (isAccessError(error)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}

/** A full disk, a read-only file system or missing permissions say nothing about the database. */
const isAccessError = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && ACCESS_CODES.has(Number(error.errcode) & 0xff)

function openLock(dataDir: string): DatabaseSync | undefined {
  const path = join(dataDir, LOCK_FILENAME)
  ensurePrivateDatabase(path)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)
      return undefined
    throw error
  }
}

/** Flushes the directory too, so that the file survives a power cut. */
function writeDurably(dataDir: string, path: string): void {
  const file = openSync(path, 'w', 0o600)
  writeSync(file, `${process.pid}\n`)
  fsyncSync(file)
  closeSync(file)
  const directory = openSync(dataDir, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
