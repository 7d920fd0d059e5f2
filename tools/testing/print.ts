import { existsSync } from 'node:fs'
import { RESULTS } from './files.ts'
import type { TestResult } from './messages.ts'
import type { FileResult } from './pool.ts'

const OUTPUT_LINES = 60

/** A line for a file that has ended, and what failed in it. */
export function printFile({ file, tests, milliseconds, output, logs }: FileResult): void {
  const failed = tests.filter(({ isPassed }) => !isPassed)
  const count = `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`
  console.log(`${failed.length > 0 ? '✖' : '✔'} ${file}  ${count}, ${seconds(milliseconds)}`)
  for (const test of failed) printFailure(test)
  if (logs) console.log(`  Logs of its servers: ${logs}`)
  if (failed.length > 0 && output.trim() !== '') {
    console.log('  It wrote:')
    console.log(indented(output.trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n')))
  }
}

/** The failures once more, as what shows a log often shows its end alone, and the count. */
export function printSummary(results: readonly FileResult[], milliseconds: number): void {
  const tests = results.flatMap((result) => result.tests)
  const failed = tests.filter(({ isPassed }) => !isPassed)
  const skipped = tests.filter(({ isSkipped }) => isSkipped)
  if (failed.length > 0) {
    console.log('\nFailed:')
    for (const test of failed) {
      console.log(test.file)
      printFailure(test)
    }
    if (existsSync(RESULTS)) console.log(`Traces, screenshots and logs: ${RESULTS}`)
  }
  console.log(`\n${results.length} files in ${seconds(milliseconds)}`)
  const passed = tests.length - failed.length - skipped.length
  const left = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  console.log(`${passed} passed, ${failed.length} failed${left}`)
}

/** The tests that took longest: what makes a run slow. */
export function printSlowest(results: readonly FileResult[], count: number): void {
  const tests = results.flatMap((result) => result.tests)
  const slowest = tests.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, count)
  console.log('\nSlowest:')
  for (const { file, title, milliseconds } of slowest) {
    console.log(`${seconds(milliseconds).padStart(8)}  ${file}: ${title}`)
  }
}

function printFailure({ title, error = '', diagnostics }: TestResult): void {
  console.log(`  ✖ ${title}`)
  console.log(indented(error))
  for (const line of diagnostics) console.log(indented(line))
}

const indented = (text: string): string => text.replace(/^/gm, '    ')

export const seconds = (milliseconds: number): string => {
  const whole = Math.round(milliseconds / 100) / 10
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${Math.round(whole % 60)} s`
}
