import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killUnderLoad } from './kill-under-load.ts'

test('keeps every acknowledged write exactly once after kill -9', async () => {
  const { acks, wrong } = await killUnderLoad({ rounds: 2, maxAcks: 200 })
  assert.deepEqual(wrong, [])
  assert.ok(acks >= 40, `${acks} writes`)
})
