import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingPrograms } from './missing-programs.ts'

const redis = { name: 'limits in Redis', isHere: false, tests: 2, package: 'redis-server' }
const ruby = { name: 'verify.rb', isHere: false, tests: 1, package: 'ruby' }

test('one line names what was not tested, and how to get it', () => {
  const line =
    'Not tested: limits in Redis (2 tests), verify.rb (1 test): apt-get install redis-server ruby'
  assert.equal(missingPrograms([redis, { ...redis, isHere: true }, ruby]), line)
  assert.equal(missingPrograms([{ ...redis, isHere: true }]), undefined)
})
