import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killed } from '../experiments/kill.ts'

test('what was acknowledged before a kill is there after it, once and whole', async () => {
  const { acks, wrong } = await killed({ rounds: 3, most: 300 })
  assert.deepEqual(wrong, [])
  assert.ok(acks > 90, `${acks} writes`)
})

test('a server that answers before it commits is found out by kills', async () => {
  const entry = 'test/support/early-reply.ts'
  const { wrong } = await killed({ rounds: 12, most: 100, entry })
  assert.match(wrong.join('\n'), /lost: /)
})
