import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const PRIVATE_MODE = 0o600
const OTHERS_MODE = 0o077
/** SQLite gives files that it creates the mode of their database. */
const SUFFIXES = ['', '-wal', '-shm']

/**
 * Makes a SQLite database readable by its owner only, before SQLite would create it with the mode
 * of the umask: the data directory may be one that others can enter. Existing files are never opened
 * here, because closing one would release the locks that this process has on it.
 */
export function ensurePrivateDatabase(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_MODE))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  for (const suffix of SUFFIXES) restrictToOwner(`${path}${suffix}`)
}

function restrictToOwner(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & OTHERS_MODE) === 0) return
  try {
    chmodSync(path, PRIVATE_MODE)
  } catch (error) {
    // The file of another user still serves; `docket doctor` warns about it. SQLite may just have
    // removed the log.
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'ENOENT') throw error
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : '')
