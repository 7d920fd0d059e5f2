import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startBusyLoops } from './testing/busy-loops.ts'
import type { FileResult } from './testing/pool.ts'
import { formatMilliseconds, printFile } from './testing/print.ts'
import { runTests } from './testing/run.ts'
import {
  findTestFiles,
  listQuickTestFiles,
  listTestFiles,
  removeEndedResults,
  shuffleFiles,
} from './testing/test-files.ts'

/**
 * Finds flaky tests: runs all test files, or those at the given paths, several times in random
 * order while `--load` busy loops use the CPU. `--seed` repeats the order of a run by its seed, and
 * `--quick` leaves out PostgreSQL and, without paths, what needs a browser.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    load: { type: 'string', default: '0' },
    workers: { type: 'string' },
    seed: { type: 'string' },
    quick: { type: 'boolean' },
  },
})

/** The seeds of the failed runs, by test. */
const failures = new Map<string, number[]>()
const all = values.quick ? listQuickTestFiles() : listTestFiles()
const files = positionals.length > 0 ? findTestFiles(positionals) : all
const runs = values.seed === undefined ? Number(values.runs) : 1
removeEndedResults()
const load = startBusyLoops(Number(values.load))
for (let run = 1; run <= runs; run += 1) {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
  console.log(`\nRun ${run} of ${runs}, seed ${seed}, ${files.length} files, load ${values.load}`)
  const began = performance.now()
  const results = await runTests(shuffleFiles(files, seed), {
    postgres: !values.quick,
    onFileEnd: printFailing,
    ...(values.workers && { workers: Number(values.workers) }),
  })
  const tests = results.flatMap((result) => result.tests)
  const failed = tests.filter(({ isPassed }) => !isPassed)
  for (const { file, title } of failed) {
    const test = `${file}: ${title}`
    failures.set(test, [...(failures.get(test) ?? []), seed])
  }
  const took = formatMilliseconds(performance.now() - began)
  console.log(
    `Run ${run}: ${tests.length - failed.length} passed, ${failed.length} failed, ${took}`,
  )
}
load.stop()

if (failures.size > 0) console.log('\nDid not always pass:')
for (const [test, seeds] of [...failures].sort((a, b) => b[1].length - a[1].length)) {
  console.log(`  ${seeds.length} of ${runs}  ${test}  (seeds ${seeds.join(', ')})`)
}
console.log(`\n${failures.size} tests did not always pass in ${runs} runs`)
process.exitCode = failures.size > 0 ? 1 : 0

function printFailing(result: FileResult): void {
  if (result.tests.some(({ isPassed }) => !isPassed)) printFile(result)
}
