import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { cutPower, recordDisk } from './power-cut.ts'

// A library that journals what is written is compiled, and preloaded as Linux does it.
if (process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0) {
  test('keeps every acknowledged write after power cuts', async () => {
    const recording = await recordDisk(5_000)
    assert.ok(recording.log.filter(({ ackedAt }) => ackedAt !== undefined).length > 50)
    assert.deepEqual(cutPower(recording, 500).wrong, [])
  })
}
