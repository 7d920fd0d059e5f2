import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** One listener for all directories: a process makes many. */
function removeAll(): void {
  for (const path of made) rmSync(path, { recursive: true, force: true })
}

/** A directory that goes with the process. */
export function emptyDir(within = tmpdir()): string {
  const path = mkdtempSync(join(within, 'docket-test-'))
  if (made.size === 0) process.once('exit', removeAll)
  made.add(path)
  return path
}

/** The same in memory, where there is such a place: for what needs no disk and is written often. */
export const emptyDirInMemory = (): string =>
  emptyDir(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
