import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** An error that the operator has to mend, in words for people. */
interface OperatorError {
  /** What is wrong, with its place, such as `The disk is full: /var/lib/docket`. */
  problem: string
  remedy: string
}

/** Primary result codes of SQLite. */
const SQLITE_READONLY = 8
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
/** The SQLSTATE of a full disk of PostgreSQL. */
const POSTGRES_DISK_FULL = '53100'

const FREE_SPACE = 'Free up space; a running server then continues by itself.'

/**
 * Describes a full disk, a read-only folder and missing permissions; undefined for any other error.
 * Errors of SQLite name no path, so they are attributed to the data directory.
 */
export function describeOperatorError(error: unknown, dataDir: string): OperatorError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const description = describeSqliteError(one, dataDir) ?? describeSystemError(one, dataDir)
    if (description) return description
  }
  return undefined
}

function describeSqliteError(error: Error, dataDir: string): OperatorError | undefined {
  const code = 'errcode' in error ? Number(error.errcode) & 0xff : 0
  const path = join(resolve(dataDir), 'docket.db')
  if (code === SQLITE_FULL) return diskFull(resolve(dataDir))
  if (code === SQLITE_READONLY) return notPermitted(`${path} cannot be written`, path)
  if (code === SQLITE_CANTOPEN) return notPermitted(`${path} cannot be opened`, path)
  return undefined
}

function describeSystemError(error: Error, dataDir: string): OperatorError | undefined {
  const code = 'code' in error ? String(error.code) : ''
  if (code === POSTGRES_DISK_FULL) {
    return { problem: 'The disk of PostgreSQL is full', remedy: FREE_SPACE }
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    const remedy = 'Allow more: LimitNOFILE in the systemd unit, ulimit -n elsewhere.'
    return { problem: 'This process may not open more files', remedy }
  }
  const path = 'path' in error && typeof error.path === 'string' ? resolve(error.path) : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(folderOf(path, dataDir))
  if (path === undefined) return undefined
  if (code === 'EROFS') {
    const remedy = 'Mount it so that it can be written, or set DOCKET_DATA_DIR to another folder.'
    return { problem: `The file system is read-only: ${folderOf(path, dataDir)}`, remedy }
  }
  if (code === 'EACCES' || code === 'EPERM') return notPermitted(`${path} is not accessible`, path)
  if ((code === 'ENOENT' || code === 'ENAMETOOLONG') && 'syscall' in error) {
    const isCreation = error.syscall === 'mkdir' || error.syscall === 'stat'
    const remedy = 'Set DOCKET_DATA_DIR to a folder in which this user may create files.'
    if (isCreation) return { problem: `${path} cannot be created (${code})`, remedy }
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return { problem: `${path} is not a directory`, remedy: 'Set DOCKET_DATA_DIR to a directory.' }
  }
  return undefined
}

const diskFull = (folder: string): OperatorError => ({
  problem: `The disk is full: ${folder}`,
  remedy: FREE_SPACE,
})

/** Names of uploads differ, but they share a disk: the same problem has one text. */
function folderOf(path: string | undefined, dataDir: string): string {
  const data = resolve(dataDir)
  return path === undefined || path.startsWith(data) ? data : dirname(path)
}

/** Advises no `chown`: the data may belong to the right user, and this process may run as the wrong one. */
function notPermitted(problem: string, path: string): OperatorError {
  const user = process.getuid?.()
  if (user === undefined) return { problem, remedy: `Check the permissions of ${path}.` }
  const owned = nearestExisting(path)
  if (owned.uid === user) {
    const remedy = `Check the permissions of ${owned.path}, and whether its file system is read-only.`
    return { problem: `${problem} by user ${user}`, remedy }
  }
  const remedy = `Run Docket as the user who owns the data, or set DOCKET_DATA_DIR to a folder of user ${user}.`
  return {
    problem: `${problem} by user ${user}; ${owned.path} belongs to user ${owned.uid}`,
    remedy,
  }
}

/** The path, or its nearest ancestor that this user may see. */
function nearestExisting(path: string): { path: string; uid: number } {
  try {
    return { path, uid: statSync(path).uid }
  } catch {
    const parent = dirname(path)
    return parent === path ? { path, uid: 0 } : nearestExisting(parent)
  }
}

/** How often a problem that continues is logged. */
const REPEAT_INTERVAL_MS = 60_000

/** Runs something once a minute until the returned function is called. */
type Repeat = (run: () => void) => () => void

const repeatEachMinute: Repeat = (run) => {
  const timer = setInterval(run, REPEAT_INTERVAL_MS).unref()
  return () => clearInterval(timer)
}

/** Writes one line of the log. */
type WriteLine = (fields: object, message: string) => void

/**
 * Logs each problem once when it begins, then at most once a minute with the number of failures since,
 * and once when it has not occurred for a minute. A full disk fails every request, and a line for each
 * would hide the cause and fill the disk further.
 */
export function createProblemLog(writeEnd: WriteLine, repeat: Repeat = repeatEachMinute) {
  const failuresByProblem = new Map<string, number>()

  return ({ problem, remedy }: OperatorError, writeLine: WriteLine): void => {
    const failures = failuresByProblem.get(problem)
    if (failures !== undefined) {
      failuresByProblem.set(problem, failures + 1)
      return
    }
    failuresByProblem.set(problem, 0)
    writeLine({ failures: 1 }, `${problem}. ${remedy}`)
    const stop = repeat(() => {
      const since = failuresByProblem.get(problem) ?? 0
      failuresByProblem.set(problem, 0)
      if (since > 0) {
        writeLine({ failures: since }, `${problem}. ${remedy}`)
        return
      }
      stop()
      failuresByProblem.delete(problem)
      writeEnd({}, `This has not occurred for a minute: ${problem}`)
    })
  }
}
