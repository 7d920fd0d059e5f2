import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { shuffleFiles } from '../../tools/testing/test-files.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const ROOT = join(import.meta.dirname, '../..')
const TITLE = 'passes only in the first file of its process'
const ORDER_DEPENDENT = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
test('${TITLE}', () => {
  process.env.FIRST_FILE ??= import.meta.filename
  assert.equal(process.env.FIRST_FILE, import.meta.filename)
})
`

/** Runs the files of a folder as `npm run test:repeat` does; `runs` has those that failed, in order. */
function repeat(folder: string, ...options: string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['tools/repeat-tests.ts', '--quick', '--workers', '1', ...options, folder]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, TEST_RESULTS: createTempDir() },
    encoding: 'utf8',
  })
  const [printed = '', report = ''] = stdout.split('\nDid not always pass:\n')
  const runs = printed.split(/^Run \d of \d, seed /m).slice(1)
  return {
    status,
    runs: runs.map((run) => ({
      seed: Number.parseInt(run, 10),
      failed: [...run.matchAll(/^✖ (\S+)/gm)].map(([, file = '']) => file),
    })),
    report: report.trim().split(/\n\s*/),
  }
}

test('runs in random order name the failed tests with their seeds, and a seed repeats its order', () => {
  const folder = createTempDir()
  const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => join(folder, `${name}.test.ts`))
  for (const path of paths) writeFileSync(path, ORDER_DEPENDENT)
  const files = paths.map((path) => relative(ROOT, path))

  const { status, runs, report } = repeat(folder, '--runs', '2')
  assert.equal(status, 1)
  assert.equal(runs.length, 2)
  for (const { seed, failed } of runs) assert.deepEqual(failed, shuffleFiles(files, seed).slice(1))
  const expected = files.flatMap((file) => {
    const seeds = runs.filter(({ failed }) => failed.includes(file)).map(({ seed }) => seed)
    const line = `${seeds.length} of 2  ${file}: ${TITLE}  (seeds ${seeds.join(', ')})`
    return seeds.length > 0 ? [line] : []
  })
  const count = `${expected.length} tests did not always pass in 2 runs`
  assert.deepEqual(report.toSorted(), [...expected, '', count].filter(Boolean).toSorted())

  const [run = assert.fail()] = runs
  assert.deepEqual(repeat(folder, '--seed', String(run.seed)).runs, [run])
})
