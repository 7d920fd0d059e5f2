import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory that goes with the process. */
export function emptyDir(within = tmpdir()): string {
  const path = mkdtempSync(join(within, 'docket-test-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The same in memory, where there is such a place: for what needs no disk and is written often. */
export const emptyDirInMemory = (): string =>
  emptyDir(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
