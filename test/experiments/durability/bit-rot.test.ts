import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  type KilledServerFiles,
  killAndReadFiles,
  startOnDamagedIndex,
  startOnRottenFiles,
} from './bit-rot.ts'

let files: KilledServerFiles
before(async () => {
  files = await killAndReadFiles()
})

test('never serves a database with flipped or missing bytes', async () => {
  const { refused, served, faults } = await startOnRottenFiles(files, 200)
  assert.deepEqual(faults, [])
  assert.ok(refused > 1 && served > 1, `${refused} refused, ${served} served`)
})

test('refuses a damaged index that no request reads', async () => {
  assert.equal(await startOnDamagedIndex(files), undefined)
})
