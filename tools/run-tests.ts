import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { missingPrograms } from '../test/support/missing-programs.ts'
import { allTestFiles, quickTestFiles, RESULTS, testFilesAt } from './testing/files.ts'
import { printFile, printSlowest, printSummary } from './testing/print.ts'
import { runTests } from './testing/run.ts'

/**
 * Runs tests: all of them, those of `--quick` (units and scenarios, on SQLite alone), or those at the paths that are
 * named; `--slowest 20` lists the tests that took longest. `node --test` runs a single file as well, but gives each
 * file a process and one core.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    workers: { type: 'string' },
    slowest: { type: 'string' },
  },
})
const all = values.quick ? quickTestFiles() : allTestFiles()
const files = positionals.length > 0 ? testFilesAt(positionals) : all
rmSync(RESULTS, { recursive: true, force: true })
const began = performance.now()
const results = await runTests(files, {
  postgres: !values.quick,
  onFileEnd: printFile,
  ...(values.workers && { workers: Number(values.workers) }),
})
if (values.slowest) printSlowest(results, Number(values.slowest))
printSummary(results, performance.now() - began)
const missing = values.quick || positionals.length > 0 ? undefined : missingPrograms()
if (missing) console.log(missing)
const hasFailed = results.some(({ tests }) => tests.some(({ isPassed }) => !isPassed))
process.exitCode = hasFailed || results.length === 0 ? 1 : 0
