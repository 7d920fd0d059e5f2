import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { globalSetup, globalTeardown } from '../../test/support/postgres.ts'
import { packServer } from './pack-server.ts'
import { type FileResult, runFiles } from './pool.ts'
import { REPOSITORY_ROOT } from './test-files.ts'

/** More than there are cores, because tests also wait for a disk and for clocks. */
const WORKERS_PER_CORE = 1.5
export const getDefaultWorkerCount = (): number =>
  Math.ceil(WORKERS_PER_CORE * availableParallelism())

export interface TestRunOptions {
  workers?: number
  /** If false, the tests run on SQLite alone. */
  postgres?: boolean
  onFileEnd?: (result: FileResult) => void
}

/** Runs test files in several processes, with a PostgreSQL server for the run. */
export async function runTests(
  files: readonly string[],
  { workers = getDefaultWorkerCount(), postgres = true, onFileEnd = () => {} }: TestRunOptions = {},
): Promise<FileResult[]> {
  const results: FileResult[] = []
  // A run that a test starts uses what the run of that test has built.
  const needsBuilds = !process.env.TEST_SERVER && files.some((file) => file.startsWith('test/'))
  if (!postgres) process.env.TEST_ENGINES = 'sqlite'
  const preparations = await Promise.allSettled([
    ...(needsBuilds ? [build('web'), build('packages'), packPrograms()] : []),
    ...(postgres ? [globalSetup()] : []),
  ])
  try {
    for (const one of preparations) if (one.status === 'rejected') throw one.reason
    await runFiles(files, Math.min(workers, files.length), (result) => {
      results.push(result)
      onFileEnd(result)
    })
  } finally {
    if (postgres) await globalTeardown()
  }
  return results
}

/** Builds what the server serves from the current sources; takes a moment if it is built already. */
async function build(name: 'web' | 'packages'): Promise<void> {
  const path = join(REPOSITORY_ROOT, `tools/build-${name}.ts`)
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 2, 2] })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${path} has failed; the reason stands above.`)
}

async function packPrograms(): Promise<void> {
  const { server, cli } = await packServer()
  Object.assign(process.env, { TEST_SERVER: server, TEST_CLI: cli })
}
