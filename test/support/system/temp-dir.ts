import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories = new Set<string>()

/** One listener for all directories: Node warns about many listeners. */
function removeAll(): void {
  for (const path of directories) rmSync(path, { recursive: true, force: true })
}

/** Creates a directory that is removed when the process exits. */
export function createTempDir(within = tmpdir()): string {
  const path = mkdtempSync(join(within, 'docket-test-'))
  if (directories.size === 0) process.once('exit', removeAll)
  directories.add(path)
  return path
}

/** Creates it in memory where /dev/shm exists: for data that is written often and needs no disk. */
export const createMemoryTempDir = (): string =>
  createTempDir(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
