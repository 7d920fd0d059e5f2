import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listTestFiles } from '../../tools/testing/test-files.ts'
import { MUTANTS } from '../experiments/kill-matrix/mutants.ts'

const MATRIX = join(import.meta.dirname, '../experiments/kill-matrix')
const PATCHES = join(MATRIX, 'mutants')

test('every fault of the kill matrix still fits the code', () => {
  const names = MUTANTS.map(({ name }) => `${name}.patch`)
  assert.deepEqual(readdirSync(PATCHES).toSorted(), names.toSorted())
  const misfits = names.filter((name) => {
    const { status } = spawnSync('git', ['apply', '--check', '-C1', join(PATCHES, name)])
    return status !== 0
  })
  assert.deepEqual(misfits, [])
})

test('every fault of the kill matrix was noticed by a file of npm test, or says why not', () => {
  const results: Record<string, object> = JSON.parse(
    readFileSync(join(MATRIX, 'results.json'), 'utf8'),
  )
  const kept = new Set(listTestFiles())
  const unnoticed = MUTANTS.filter(
    ({ name, whyOnlyExperiments }) =>
      whyOnlyExperiments === undefined &&
      !Object.keys(results[name] ?? {}).some((file) => kept.has(file)),
  )
  assert.deepEqual(
    unnoticed.map(({ name }) => name),
    [],
  )
})
