import { availableParallelism } from 'node:os'
import { globalSetup, globalTeardown } from '../../test/support/postgres.ts'
import { type FileResult, runFiles } from './pool.ts'

/** One more than cores: much of a test is waiting for a server, a browser or a disk. */
export const defaultWorkers = (): number => availableParallelism() + 1

export interface RunOptions {
  workers?: number
  /** Without PostgreSQL the tests run on SQLite alone. */
  postgres?: boolean
  onFileEnd?: (result: FileResult) => void
}

/** Runs test files in several processes, beside a PostgreSQL of their own. */
export async function runTests(
  files: readonly string[],
  { workers = defaultWorkers(), postgres = true, onFileEnd = () => {} }: RunOptions = {},
): Promise<FileResult[]> {
  const results: FileResult[] = []
  if (postgres) await globalSetup()
  else process.env.TEST_ENGINES = 'sqlite'
  try {
    await runFiles(files, Math.min(workers, files.length), (result) => {
      results.push(result)
      onFileEnd(result)
    })
  } finally {
    if (postgres) await globalTeardown()
  }
  return results
}
