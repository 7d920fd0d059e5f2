import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('a run in which a test fails does not end with 0', () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = spawnSync(
    process.execPath,
    ['--test', '--test-global-setup=test/support/postgres.ts', 'test/support/failing.ts'],
    { env, encoding: 'utf8' },
  )
  assert.match(run.stdout, /fail 1/)
  assert.equal(run.status, 1)
})
