import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringUploads } from './kill-during-uploads.ts'

test('keeps every acknowledged upload after kill -9, and no row without its file', async () => {
  const { wrong, acks } = await killDuringUploads(20)
  assert.deepEqual(wrong, [])
  assert.ok(acks >= 160, `${acks} uploads`)
})
