import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeEndedResults } from '../../tools/testing/test-files.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Runs test files as `npm run test:quick` does; returns the exit code and output. */
function runQuick(...files: string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const paths = files.map((file) => join(import.meta.dirname, file))
  const results = createTempDir()
  const args = ['tools/run-tests.ts', '--quick', '--workers', '1', ...paths]
  const { status, stdout } = spawnSync(process.execPath, args, {
    ...{ cwd: ROOT, env: { ...env, TEST_RESULTS: results }, encoding: 'utf8' },
  })
  return { status, stdout, results }
}

test('a run with a failing test prints its name and the counts, and exits with 1', () => {
  const { status, stdout } = runQuick('failing.ts', '../../src/lib/rank.test.ts')
  assert.match(stdout, /✖ test\/tools\/failing\.ts {2}1 test/)
  assert.match(stdout, /Failed:\ntest\/tools\/failing\.ts\n {2}✖ this test fails\n/)
  assert.match(stdout, /^4 passed, 1 failed$/m)
  assert.equal(status, 1)
})

test('a test that exits its process fails, and the remaining files still run', () => {
  const { status, stdout } = runQuick('ending-early.ts', '../../src/lib/rank.test.ts')
  assert.match(stdout, /The process of the file ended \(0\)/)
  assert.match(stdout, /^4 passed, 1 failed$/m)
  assert.equal(status, 1)
})

test('a file that cannot be loaded fails', () => {
  const { status, stdout } = runQuick('not-loading.ts')
  assert.match(stdout, /this file cannot be loaded/)
  assert.match(stdout, /^0 passed, 1 failed$/m)
  assert.equal(status, 1)
})

test('an error thrown after its test has ended fails the run', () => {
  const { status, stdout } = runQuick('failing-late.ts')
  assert.match(stdout, /too late/)
  assert.equal(status, 1)
})

test('a failing file keeps the logs of its servers', () => {
  const { stdout, results } = runQuick('failing-server.ts')
  const folder = join(results, 'test-tools-failing-server-ts', 'servers')
  assert.ok(stdout.includes(`Logs of its servers: ${folder}`), stdout)
  assert.match(readFileSync(join(folder, 'server-1.log'), 'utf8'), /Docket started/)
})

test('a run without failures exits with 0', () => {
  const { status, stdout } = runQuick('../../src/lib/rank.test.ts')
  assert.match(stdout, /^4 passed, 0 failed$/m)
  assert.equal(status, 0)
})

test('a run removes the results of runs that have ended, and keeps those of a run beside it', () => {
  const results = createTempDir()
  const ended = spawnSync(process.execPath, ['--version']).pid
  const names = [`run-${ended}`, `run-${process.ppid}`, 'results-of-an-older-version']
  for (const name of names) mkdirSync(join(results, name))
  removeEndedResults(results)
  assert.deepEqual(readdirSync(results), [`run-${process.ppid}`])
})
