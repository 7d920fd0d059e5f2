import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMissingPrograms } from '../test/support/runner/missing-programs.ts'
import { printCostliest, printFile, printSlowest, printSummary } from './testing/print.ts'
import { runTests } from './testing/run.ts'
import {
  findTestFiles,
  listQuickTestFiles,
  listTestFiles,
  removeEndedResults,
} from './testing/test-files.ts'

/**
 * Runs the tests of `npm test`, those of `--experiments` or `--release`, those of `--quick` (units and scenarios,
 * on SQLite alone), or those at the given paths. `--slowest 20` lists the slowest tests. `--postgres
 * /usr/lib/postgresql/15/bin` uses another PostgreSQL than that of the lockfile. `node --test` can run a single
 * file as well, but starts a process for each file, which takes much longer for many files.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    experiments: { type: 'boolean' },
    release: { type: 'boolean' },
    workers: { type: 'string' },
    slowest: { type: 'string' },
    postgres: { type: 'string' },
  },
})
const suite = values.experiments ? 'experiments' : values.release ? 'release' : 'promises'
const all = values.quick ? listQuickTestFiles() : listTestFiles(suite)
const files = positionals.length > 0 ? findTestFiles(positionals) : all
if (values.postgres) process.env.TEST_POSTGRES_BIN = resolve(values.postgres)
removeEndedResults()
const began = performance.now()
const results = await runTests(files, {
  postgres: !values.quick,
  onFileEnd: printFile,
  ...(values.workers && { workers: Number(values.workers) }),
})
if (values.slowest) printSlowest(results, Number(values.slowest))
printCostliest(results)
printSummary(results, performance.now() - began)
const missing = describeMissingPrograms(files)
if (missing) console.log(missing)
const hasFailed = results.some(({ tests }) => tests.some(({ isPassed }) => !isPassed))
process.exitCode = hasFailed || results.length === 0 ? 1 : 0
