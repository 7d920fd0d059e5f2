import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isRunning, removeEndedResults } from '../../tools/testing/test-files.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Runs test files as `npm run test:quick` does; returns the exit code and output. */
function runQuick(...files: string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const paths = files.map((file) => join(import.meta.dirname, file))
  const results = createTempDir()
  const args = ['tools/run-tests.ts', '--quick', '--workers', '1', ...paths]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, TEST_RESULTS: results },
    encoding: 'utf8',
  })
  return { status, stdout, results }
}

/** A run of files that fail in every way before their tests end, and of one that passes. */
const failingRun = runQuick(
  'failing.ts',
  'ending-early.ts',
  'not-loading.ts',
  'failing-server.ts',
  'failing-app.ts',
  'failing-page.ts',
  '../../src/lib/rank.test.ts',
)

test('a run with failing tests prints their names and the counts, and exits with 1', () => {
  const { status, stdout } = failingRun
  assert.match(stdout, /✖ test\/tools\/failing\.ts {2}1 test/)
  assert.match(stdout, /\ntest\/tools\/failing\.ts\n {2}✖ this test fails\n/)
  assert.match(stdout, /^5 passed, 7 failed$/m)
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

test('a failing file keeps the logs of its servers', () => {
  const { stdout, results } = failingRun
  const folder = join(results, 'test-tools-failing-server-ts', 'servers')
  assert.ok(stdout.includes(`Logs of its servers: ${folder}`), stdout)
  for (const log of ['server-1.log', 'server-2.log'])
    assert.match(readFileSync(join(folder, log), 'utf8'), /Docket started/)
})

test('a failing test keeps what servers in its process have logged during it', () => {
  const { stdout, results } = failingRun
  const title = 'this-test-fails-beside-a-server-in-its-process'
  const log = join(results, `test-tools-failing-app-ts-${title}`, 'in-process-server.log')
  assert.ok(stdout.includes(`left: ${log}`), stdout)
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const requests = lines.map((line) => JSON.parse(line)).filter((line) => 'request_id' in line)
  const [{ method, route, status }] = requests
  assert.deepEqual({ method, route, status }, { method: 'GET', route: '/api/v1/me', status: 401 })
  assert.equal(requests.length, 1)
})

test('a failing browser test keeps its pages, a trace, the console and the log of its server', () => {
  const { stdout, results } = failingRun
  const folder = join(results, 'test-tools-failing-page-ts-this-test-fails-in-a-browser')
  const read = (name: string) => {
    assert.ok(stdout.includes(`left: ${join(folder, name)}`), stdout)
    return readFileSync(join(folder, name))
  }
  assert.equal(read('page-0.png').toString('latin1', 1, 4), 'PNG')
  assert.match(read('pages.txt').toString(), /^page-0: .*\/my\n[\s\S]*heading "My work"/)
  assert.equal(read('trace-0.zip').toString('latin1', 0, 2), 'PK')
  assert.match(read('console.txt').toString(), /said on the console/)
  assert.match(read('server.log').toString(), /"route":"\/internal\//)
  assert.equal(readdirSync(folder).length, 5)
})

test('a passing test keeps nothing', () => {
  assert.ok(readdirSync(failingRun.results).every((name) => !name.includes('passes')))
})

test('an error thrown after its test has ended fails the run', () => {
  const { status, stdout } = runQuick('failing-late.ts')
  assert.match(stdout, /too late/)
  assert.equal(status, 1)
})

test('a run without failures exits with 0', () => {
  const { status, stdout } = runQuick('../../src/lib/rank.test.ts')
  assert.match(stdout, /^4 passed, 0 failed$/m)
  assert.equal(status, 0)
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

test('a run removes the results of runs that have ended, and keeps those of a run beside it', () => {
  const results = createTempDir()
  const ended = spawnSync(process.execPath, ['--version']).pid
  const names = [`run-${ended}`, `run-${process.ppid}`, 'results-of-an-older-version']
  for (const name of names) mkdirSync(join(results, name))
  removeEndedResults(results)
  assert.deepEqual(readdirSync(results), [`run-${process.ppid}`])
})
