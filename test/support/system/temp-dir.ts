import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
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

/** Creates it in memory if possible: for data that is written often and needs no disk. */
export const createMemoryTempDir = (): string => createTempDir(findMemoryDir())

const MEMORY_DIR = '/dev/shm'
const GIB = 2 ** 30

/** A file system in memory, if there is one with enough space. */
export function findMemoryDir(): string | undefined {
  if (!existsSync(MEMORY_DIR) || process.availableMemory() < 4 * GIB) return undefined
  const { bavail, bsize } = statfsSync(MEMORY_DIR)
  return bavail * bsize < 2 * GIB ? undefined : MEMORY_DIR
}
