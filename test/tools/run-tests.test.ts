import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isRunning } from '../../tools/testing/test-files.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Runs test files as `npm run test:quick` does; returns the exit code and output. */
function runQuick(...files: string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const paths = files.map((file) => join(import.meta.dirname, file))
  const args = ['tools/run-tests.ts', '--quick', '--workers', '1', ...paths]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, TEST_RESULTS: createTempDir() },
    encoding: 'utf8',
  })
  return { status, stdout }
}

/** A run of files that fail in every way before their tests end, and of one that passes. */
const failingRun = runQuick(
  'failing.ts',
  'ending-early.ts',
  'not-loading.ts',
  '../../src/lib/rank.test.ts',
)

test('a run with failing tests prints their names and the counts, and exits with 1', () => {
  const { status, stdout } = failingRun
  assert.match(stdout, /✖ test\/tools\/failing\.ts {2}1 test/)
  assert.match(stdout, /\ntest\/tools\/failing\.ts\n {2}✖ this test fails\n/)
  assert.match(stdout, /^4 passed, 3 failed$/m)
  assert.equal(status, 1)
})

test('a test that exits its process fails, and the remaining files still run', () => {
  const [, printed = ''] = failingRun.stdout.split('\ntest/tools/ending-early.ts\n')
  assert.match(printed, /^[^/]*The process of the file ended \(0\)/)
  assert.match(failingRun.stdout, /✔ src\/lib\/rank\.test\.ts {2}4 tests/)
})

test('a file that cannot be loaded fails', () => {
  const [, printed = ''] = failingRun.stdout.split('\ntest/tools/not-loading.ts\n')
  assert.match(printed, /^[^/]*this file cannot be loaded/)
})

test('an error thrown after its test has ended fails the run', () => {
  const { status, stdout } = runQuick('failing-late.ts')
  assert.match(stdout, /too late/)
  assert.equal(status, 1)
})

test('a run that is killed leaves no process', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const pidFile = join(createTempDir(), 'pid')
  const args = ['tools/run-tests.ts', '--quick', join(import.meta.dirname, 'printing.ts')]
  const run = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, PID_FILE: pidFile, TEST_RESULTS: createTempDir() },
    stdio: 'ignore',
  })
  await waitUntil('the test', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '')
  run.kill('SIGKILL')
  const [worker = 0, child = 0] = readFileSync(pidFile, 'utf8').split(' ').map(Number)
  await waitUntil('the end of the worker', () => !isRunning(worker))
  await waitUntil('the end of the process that its test has started', () => !isRunning(child))
})
