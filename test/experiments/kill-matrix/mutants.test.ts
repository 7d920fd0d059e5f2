import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTANTS } from './mutants.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PATCHES = join(import.meta.dirname, 'mutants')

test('every fault of the kill matrix still fits the code', () => {
  const names = MUTANTS.map(({ name }) => `${name}.patch`)
  assert.deepEqual(readdirSync(PATCHES).toSorted(), names.toSorted())
  const misfits = names.filter((name) => {
    const { status } = spawnSync('git', ['apply', '--check', '-C1', join(PATCHES, name)], {
      cwd: ROOT,
    })
    return status !== 0
  })
  assert.deepEqual(misfits, [])
})

test('every fault that was tried is noticed by a test file that exists', () => {
  const results: Record<string, object> = JSON.parse(
    readFileSync(join(import.meta.dirname, 'results.json'), 'utf8'),
  )
  assert.ok(Object.keys(results).length > 20)
  const unnoticed = Object.entries(results).filter(
    ([, files]) => !Object.keys(files).some((file) => existsSync(join(ROOT, file))),
  )
  assert.deepEqual(
    unnoticed.map(([name]) => name),
    [],
  )
})
