import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { allTestFiles, shuffled, testFilesAt } from './testing/files.ts'
import { startLoad } from './testing/load.ts'
import type { FileResult } from './testing/pool.ts'
import { printFile, seconds } from './testing/print.ts'
import { runTests } from './testing/run.ts'

/**
 * Finds tests that do not always pass: runs all files, or those at the paths that are named, several times in random
 * order, beside `--load` busy loops. `--seed` replays the order of a run that is printed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    load: { type: 'string', default: '0' },
    workers: { type: 'string' },
    seed: { type: 'string' },
  },
})

/** How often each test failed, and the seeds of these runs. */
const failures = new Map<string, number[]>()
const files = positionals.length > 0 ? testFilesAt(positionals) : allTestFiles()
const runs = values.seed === undefined ? Number(values.runs) : 1
const load = startLoad(Number(values.load))
for (let run = 1; run <= runs; run += 1) {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
  console.log(`\nRun ${run} of ${runs}, seed ${seed}, ${files.length} files, load ${values.load}`)
  const began = performance.now()
  const results = await runTests(shuffled(files, seed), {
    onFileEnd: printFailing,
    ...(values.workers && { workers: Number(values.workers) }),
  })
  const tests = results.flatMap((result) => result.tests)
  const failed = tests.filter(({ isPassed }) => !isPassed)
  for (const { file, title } of failed) {
    const test = `${file}: ${title}`
    failures.set(test, [...(failures.get(test) ?? []), seed])
  }
  const took = seconds(performance.now() - began)
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
