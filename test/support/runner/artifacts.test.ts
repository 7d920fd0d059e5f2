import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTempDir } from '../system/temp-dir.ts'

test('a failing test keeps its artifacts in its own folder and prints their paths', () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const results = createTempDir()
  const run = spawnSync(process.execPath, ['--test', 'test/support/runner/artifacts-fixture.ts'], {
    env: { ...env, TEST_RESULTS: results },
    encoding: 'utf8',
  })
  const file = join(results, 'test-support-runner-artifacts-fixture-ts-this-test-fails-', 'why.txt')
  assert.equal(readFileSync(file, 'utf8'), 'as it should')
  assert.ok(run.stdout.includes(`left: ${file}`), run.stdout)
  assert.ok(!existsSync(join(results, 'test-support-runner-artifacts-fixture-ts-this-test-passes')))
  assert.equal(run.status, 1)
})
