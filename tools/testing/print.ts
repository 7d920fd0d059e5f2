import { existsSync } from 'node:fs'
import type { TestResult } from './messages.ts'
import type { FileResult } from './pool.ts'
import { RESULTS_DIR } from './test-files.ts'

const MAX_OUTPUT_LINES = 60

/** Prints a line for a finished file, and its failures. */
export function printFile({ file, tests, milliseconds, output, logs }: FileResult): void {
  const failed = tests.filter(({ isPassed }) => !isPassed)
  const count = `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`
  console.log(
    `${failed.length > 0 ? '✖' : '✔'} ${file}  ${count}, ${formatMilliseconds(milliseconds)}`,
  )
  for (const test of failed) printFailure(test)
  if (logs) console.log(`  Logs of its servers: ${logs}`)
  if (failed.length > 0 && output.trim() !== '') {
    console.log('  It wrote:')
    console.log(indent(output.trimEnd().split('\n').slice(-MAX_OUTPUT_LINES).join('\n')))
  }
}

/** Prints all failures again, because logs are often read from the end, and the counts. */
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
    if (existsSync(RESULTS_DIR)) console.log(`Traces, screenshots and logs: ${RESULTS_DIR}`)
  }
  console.log(`\n${results.length} files in ${formatMilliseconds(milliseconds)}`)
  const passed = tests.length - failed.length - skipped.length
  const left = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  console.log(`${passed} passed, ${failed.length} failed${left}`)
}

/** Prints the slowest tests. */
export function printSlowest(results: readonly FileResult[], count: number): void {
  const tests = results.flatMap((result) => result.tests)
  const slowest = tests.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, count)
  console.log('\nSlowest:')
  for (const { file, title, milliseconds } of slowest) {
    console.log(`${formatMilliseconds(milliseconds).padStart(8)}  ${file}: ${title}`)
  }
}

/** How many files the summary of a run names as the costliest. */
const COSTLIEST = 10

/** Prints the files that cost the most processor time, if there are more. */
export function printCostliest(results: readonly FileResult[]): void {
  if (results.length <= COSTLIEST) return
  const costliest = results.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, COSTLIEST)
  const total = results.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  console.log(`\nProcessor time, ${formatMilliseconds(total)} without PostgreSQL and browsers:`)
  for (const { file, cpuMs } of costliest)
    console.log(`${formatMilliseconds(cpuMs).padStart(8)}  ${file}`)
}

function printFailure({ title, error = '', diagnostics }: TestResult): void {
  console.log(`  ✖ ${title}`)
  console.log(indent(error))
  for (const line of diagnostics) console.log(indent(line))
}

const indent = (text: string): string => text.replace(/^/gm, '    ')

export const formatMilliseconds = (milliseconds: number): string => {
  const whole = Math.round(milliseconds / 100) / 10
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${Math.round(whole % 60)} s`
}
