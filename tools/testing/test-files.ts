import { existsSync, globSync, readdirSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'

export const REPOSITORY_ROOT = join(import.meta.dirname, '../..')

const ALL_RESULTS_DIR = join(REPOSITORY_ROOT, 'test-results')

/**
 * Failing tests write traces, screenshots and logs here; passing tests write nothing. Each run has a
 * folder of its own, because others may run beside it; its workers inherit the variable.
 */
process.env.TEST_RESULTS ??= join(ALL_RESULTS_DIR, `run-${process.pid}`)
export const RESULTS_DIR = process.env.TEST_RESULTS

/** Removes the results of runs that have ended. */
export function removeEndedResults(resultsDir = ALL_RESULTS_DIR): void {
  for (const name of existsSync(resultsDir) ? readdirSync(resultsDir) : []) {
    const pid = Number(/^run-(\d+)$/.exec(name)?.[1])
    if (!isRunning(pid)) rmSync(join(resultsDir, name), { recursive: true, force: true })
  }
}

/** Whether another process of this id runs. */
export function isRunning(pid: number): boolean {
  if (Number.isNaN(pid) || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process may not be signalled, but it is running.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const PATTERNS = ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts']

/** The folders of the files that `npm test` leaves to commands of their own. */
const SUITE_FOLDERS = { experiments: 'test/experiments/', release: 'test/release/' }

/** What a command runs: `npm test`, `npm run experiments` or `npm run release:check`. */
export type TestSuite = 'promises' | keyof typeof SUITE_FOLDERS

/**
 * The files of these folders start first, so that no slow file is left when all others have ended, and
 * mixed: tests of processes wait while those in a browser compute.
 */
const FIRST_FOLDERS = ['test/processes', 'test/browser']

/** These need a browser, servers in processes of their own, or PostgreSQL. */
const SLOW_PREFIXES = [
  'test/',
  'src/webhooks/connection-pools',
  'src/webhooks/hostile',
  'src/webhooks/installation-id',
  'src/resources/tasks/invariants.',
  'src/resources/tasks/filters/list-query.',
]

/** These observe modules while they load, so no earlier file may have loaded them. */
const OWN_PROCESS = ['test/storage/bound-numbers.test.ts', 'test/storage/distribution.test.ts']

/** Whether this file needs a process without other files. */
export const needsOwnProcess = (file: string): boolean => OWN_PROCESS.includes(file)

/** The test files of a suite in starting order, as paths from the repository root with `/`. */
export function listTestFiles(suite: TestSuite = 'promises'): string[] {
  const files = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: REPOSITORY_ROOT }))
  return sortByDuration(files.map(toSlashes).filter((file) => suiteOf(file) === suite))
}

const suiteOf = (file: string): TestSuite => {
  if (file.startsWith(SUITE_FOLDERS.experiments)) return 'experiments'
  return file.startsWith(SUITE_FOLDERS.release) ? 'release' : 'promises'
}

/** Units and scenarios that run on SQLite alone. */
export const listQuickTestFiles = (): string[] =>
  listTestFiles().filter((file) => !SLOW_PREFIXES.some((start) => file.startsWith(start)))

/** The test files at these paths: files, folders or glob patterns. */
export function findTestFiles(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    const from = isAbsolute(path) ? path : join(process.cwd(), path)
    if (statSync(from, { throwIfNoEntry: false })?.isDirectory())
      return globSync(join(from, '**/*.test.ts'))
    return globSync(from)
  })
  if (found.length === 0) throw new Error(`No test file at ${paths.join(' ')}`)
  return sortByDuration([
    ...new Set(found.map((path) => toSlashes(relative(REPOSITORY_ROOT, path)))),
  ])
}

const toSlashes = (path: string): string => path.replaceAll('\\', '/')

function sortByDuration(files: readonly string[]): string[] {
  const rest = new Set(files)
  const first = mix(FIRST_FOLDERS.map((folder) => takeFiles(rest, folder)))
  return [...first, ...takeFiles(rest, 'test'), ...[...rest].sort()]
}

function takeFiles(rest: Set<string>, folder: string): string[] {
  const files = [...rest].filter((file) => file.startsWith(`${folder}/`)).sort()
  for (const file of files) rest.delete(file)
  return files
}

/** Merges lists evenly: each has got as far as the others at any place. */
const mix = (lists: readonly (readonly string[])[]): string[] =>
  lists
    .flatMap((list) => list.map((file, at) => ({ file, share: at / list.length })))
    .sort((a, b) => a.share - b.share)
    .map(({ file }) => file)
