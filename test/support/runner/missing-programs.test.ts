import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMissingPrograms } from './missing-programs.ts'

const FILE = 'test/pooler.test.ts'
const pooler = { name: 'PgBouncer', isHere: false, file: FILE, package: 'pgbouncer' }

test('one line names the programs that tests lacked, with the command that installs each', () => {
  const ruby = { name: 'verify.rb', isHere: false, file: FILE, package: 'ruby' }
  const library = { ...ruby, name: 'webhook.py', package: 'standardwebhooks' }
  const line =
    'Not tested: PgBouncer, verify.rb: apt-get install pgbouncer ruby; ' +
    'webhook.py: pip install standardwebhooks'
  const programs = [pooler, ruby, { ...library, installer: 'pip install' }]
  assert.equal(describeMissingPrograms([FILE], programs), line)
})

test('nothing is said of programs that are here, or of tests that did not run', () => {
  assert.equal(describeMissingPrograms([FILE], [{ ...pooler, isHere: true }]), undefined)
  assert.equal(describeMissingPrograms(['test/others.test.ts'], [pooler]), undefined)
})
