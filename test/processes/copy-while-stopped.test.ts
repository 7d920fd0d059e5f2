import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyWhileStopped } from '../experiments/durability/copy-while-stopped.ts'

test('a copy of the stopped server contains every acknowledged write', async () => {
  const { wrong } = await copyWhileStopped(14)
  assert.deepEqual(wrong, [])
})

test('control: copies of a server that replies before the commit lack acknowledged writes', async () => {
  const { wrong } = await copyWhileStopped(200, 'test/support/controls/reply-before-commit.ts')
  assert.match(wrong.join('\n'), /lost: /)
})
