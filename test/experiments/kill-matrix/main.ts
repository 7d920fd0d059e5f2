import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

/**
 * Runs each mutant against the tests of its area, in a copy of the last commit, and writes which tests
 * fail into `results.json`. About a minute a mutant. Names run only some; `--postgres` runs their
 * tests on both engines. Exits with 1 if a mutant survives.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean' } },
})
const ROOT = join(import.meta.dirname, '../../..')
const RESULTS = join(import.meta.dirname, 'results.json')

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
/** A test may wait for ever for what a fault prevents; the failures until then count. */
const MUTANT_TIMEOUT_MS = 180_000

/** The titles of failed tests, by file. */
type Failures = Record<string, string[]>
/** The tests that fail for each mutant. */
type KillMatrix = Record<string, Failures>
const matrix: KillMatrix = JSON.parse(readFileSync(RESULTS, 'utf8'))

const copy = join(createTempDir(), 'docket')
runOrThrow('git', ['worktree', 'add', '--detach', '--quiet', copy, 'HEAD'], ROOT)
try {
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const chosen = MUTANTS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const known = runTests([...new Set(chosen.flatMap(({ tests }) => tests))])
  for (const mutant of chosen) {
    const kills = withoutKnown(runMutant(mutant), known)
    matrix[mutant.name] = kills
    const files = Object.keys(kills)
    console.log(`${mutant.name}: ${files.length > 0 ? files.join(', ') : 'SURVIVES'}`)
    writeFileSync(RESULTS, `${JSON.stringify(inOrder(matrix), null, 2)}\n`)
    if (files.length === 0) process.exitCode = 1
  }
} finally {
  runOrThrow('git', ['worktree', 'remove', '--force', copy], ROOT)
}

function runMutant({ name, tests }: Mutant): Failures {
  const patch = join(import.meta.dirname, 'mutants', `${name}.patch`)
  runOrThrow('git', ['apply', '-C1', patch], copy)
  try {
    return runTests(tests, MUTANT_TIMEOUT_MS)
  } finally {
    runOrThrow('git', ['apply', '-R', '-C1', patch], copy)
  }
}

function runTests(tests: readonly string[], timeout?: number): Failures {
  const engines = values.postgres ? [] : ['--quick']
  const paths = tests.map((path) => join(copy, path))
  const { stdout } = spawnSync(process.execPath, ['tools/run-tests.ts', ...engines, ...paths], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    ...(timeout !== undefined && { timeout }),
  })
  return readFailures(stdout)
}

/** Without those that fail without any fault, such as tests that need PostgreSQL. */
function withoutKnown(failures: Failures, known: Failures): Failures {
  const kills = Object.entries(failures).map(([file, titles]): [string, string[]] => [
    file,
    titles.filter((title) => !known[file]?.includes(title)),
  ])
  return Object.fromEntries(kills.filter(([, titles]) => titles.length > 0))
}

/** The failed tests by file, as `printFile` of tools/testing/print.ts writes them. */
function readFailures(stdout: string): Failures {
  const failures: Failures = {}
  let file = ''
  for (const line of stdout.split('\nFailed:\n', 1)[0]?.split('\n') ?? []) {
    const [, failed] = /^✖ (\S+) {2}/.exec(line) ?? []
    if (failed) file = failed
    const [, title] = /^ {2}✖ (.+)/.exec(line) ?? []
    if (title) failures[file] = [...(failures[file] ?? []), title]
  }
  return failures
}

function inOrder(all: KillMatrix): KillMatrix {
  return Object.fromEntries(MUTANTS.flatMap(({ name }) => (all[name] ? [[name, all[name]]] : [])))
}

function runOrThrow(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}
