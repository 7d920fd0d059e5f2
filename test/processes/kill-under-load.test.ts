import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killWhileCopying } from '../experiments/changes/kill-while-copying.ts'
import { killUnderLoad } from '../experiments/durability/kill-under-load.ts'

test('keeps every acknowledged write exactly once after kill -9', async () => {
  const { acks, wrong } = await killUnderLoad({ rounds: 2, maxAcks: 200 })
  assert.deepEqual(wrong, [])
  assert.ok(acks >= 40, `${acks} writes`)
})

test('control: a server that replies before the commit loses acknowledged writes', async () => {
  const entry = 'test/support/controls/reply-before-commit.ts'
  const { wrong } = await killUnderLoad({ rounds: 12, maxAcks: 100, entry })
  assert.match(wrong.join('\n'), /lost: /)
})

test('copies that follow the feed of changes are exact after kill -9', async () => {
  const { writes, wrong } = await killWhileCopying(2)
  assert.deepEqual(wrong, [])
  assert.ok(writes > 30, `${writes} writes`)
})
