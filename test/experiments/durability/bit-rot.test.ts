import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  type KilledServerFiles,
  killAndReadFiles,
  skipDamageCheck,
  startOnRottenFiles,
} from './bit-rot.ts'

let files: KilledServerFiles
before(async () => {
  files = await killAndReadFiles()
})

test('never serves a database with flipped or missing bytes', async () => {
  const { refused, served, faults } = await startOnRottenFiles(files, 30)
  assert.deepEqual(faults, [])
  assert.ok(refused > 1 && served > 1, `${refused} refused, ${served} served`)
})

test('control: a start without the damage check serves damaged databases', async () => {
  const isDetected = (faults: string) => faults.includes('is served, and damaged')
  const { faults } = await startOnRottenFiles(files, 30, skipDamageCheck, isDetected)
  assert.ok(isDetected(faults.join()))
})
