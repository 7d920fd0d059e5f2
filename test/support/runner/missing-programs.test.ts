import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMissingPrograms } from './missing-programs.ts'

const redis = { name: 'limits in Redis', isHere: false, tests: 2, package: 'redis-server' }
const ruby = { name: 'verify.rb', isHere: false, tests: 1, package: 'ruby' }

test('one line names the programs that tests were skipped for, and how to install them', () => {
  const line =
    'Not tested: limits in Redis (2 tests), verify.rb (1 test): apt-get install redis-server ruby'
  assert.equal(describeMissingPrograms([redis, { ...redis, isHere: true }, ruby]), line)
  assert.equal(describeMissingPrograms([{ ...redis, isHere: true }]), undefined)
})

test('each missing library is named with the command that installs it', () => {
  const library = { name: 'webhook.py', isHere: false, tests: 2, package: 'standardwebhooks' }
  const line =
    'Not tested: limits in Redis (2 tests): apt-get install redis-server; ' +
    'webhook.py (2 tests): pip install standardwebhooks'
  const programs = [redis, { ...library, installer: 'pip install' }]
  assert.equal(describeMissingPrograms(programs), line)
})
