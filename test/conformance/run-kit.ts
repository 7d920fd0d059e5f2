import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import type { CheckResult } from '../../conformance/src/check.ts'

/** How a run of the kit has ended. */
export interface KitRun {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the kit from its sources to its end. */
export async function runKit(...args: readonly string[]): Promise<KitRun> {
  const child = spawn(process.execPath, ['conformance/src/main.ts', ...args], {
    env: BASE_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      run[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { ...run, code }
}

/** Runs the checks of a receiver or a server; returns the results and the texts of all reports. */
export async function runChecksOf(...args: readonly string[]) {
  const junit = join(createTempDir(), 'junit.xml')
  const { code, stdout, stderr } = await runKit(...args, '--json', '--junit', junit)
  if (!stdout.startsWith('[')) throw new Error(`The kit has no results: ${stdout}${stderr}`)
  const results: CheckResult[] = JSON.parse(stdout)
  const namesOf = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ name }) => name)
  return {
    code,
    stderr,
    results,
    output: stdout + stderr + readFileSync(junit, 'utf8'),
    failed: namesOf('failed'),
    passed: namesOf('passed'),
    skipped: namesOf('not run'),
  }
}
