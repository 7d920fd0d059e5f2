import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { globalSetup, globalTeardown } from '../../test/support/postgres.ts'
import { ROOT } from './files.ts'
import { pack } from './pack.ts'
import { type FileResult, runFiles } from './pool.ts'

/** Twice as many as cores: much of a test is waiting for a server, a browser or a disk. */
export const defaultWorkers = (): number => 2 * availableParallelism()

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
  if (files.some((file) => file.startsWith('test/'))) {
    buildWeb()
    const { server, cli } = await pack()
    Object.assign(process.env, { TEST_SERVER: server, TEST_CLI: cli })
  }
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

/** Browsers must see the app as its sources are now; where it is built already this takes a moment. */
function buildWeb(): void {
  const build = join(ROOT, 'tools/build-web.ts')
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('The web app cannot be built; the reason stands above.')
}
