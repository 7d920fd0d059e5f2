import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyDir } from './dir.ts'

test('a failing test leaves its files in a folder of its own, and prints where', () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const results = emptyDir()
  const run = spawnSync(process.execPath, ['--test', 'test/support/leaving.ts'], {
    env: { ...env, TEST_RESULTS: results },
    encoding: 'utf8',
  })
  const file = join(results, 'test-support-leaving-ts-this-test-fails-', 'why.txt')
  assert.equal(readFileSync(file, 'utf8'), 'as it should')
  assert.ok(run.stdout.includes(`left: ${file}`), run.stdout)
  assert.ok(!existsSync(join(results, 'test-support-leaving-ts-this-test-passes')))
  assert.equal(run.status, 1)
})
