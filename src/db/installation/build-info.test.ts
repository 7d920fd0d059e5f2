import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { readCommit } from './build-info.ts'

const COMMIT = 'c0ffee00'.repeat(5)

test('reads the commit of a clone from its files, and of nothing else', () => {
  const commitOf = (files: Record<string, string>) => {
    const directory = createTempDir()
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true })
      writeFileSync(join(directory, name), text)
    }
    return readCommit(directory)
  }
  const onBranch = { HEAD: 'ref: refs/heads/a/branch\n' }
  assert.equal(commitOf({ ...onBranch, 'refs/heads/a/branch': `${COMMIT}\n` }), COMMIT)
  const others = `# pack-refs with: peeled\n${'a'.repeat(40)} refs/heads/other/a/branch\n`
  const packed = `${others}${COMMIT} refs/heads/a/branch\n`
  assert.equal(commitOf({ ...onBranch, 'packed-refs': packed }), COMMIT)
  assert.equal(commitOf({ HEAD: `${COMMIT}\n` }), COMMIT)
  assert.equal(commitOf(onBranch), undefined)
  assert.equal(commitOf({ ...onBranch, 'packed-refs': others }), undefined)
  assert.equal(commitOf({}), undefined)
  assert.equal(commitOf({ HEAD: 'ref: ../../etc/passwd' }), undefined)
})
