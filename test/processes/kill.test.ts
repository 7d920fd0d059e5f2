import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killed } from '../experiments/kill.ts'

test('what was acknowledged before a kill is there after it, once and whole', async () => {
  const { acks, slowest, wrong } = await killed({ rounds: 3, longest: 800 })
  assert.deepEqual(wrong, [])
  assert.ok(acks > 100, `${acks} writes`)
  assert.ok(slowest < 5_000, `ready after ${slowest} ms`)
})

test('a server that answers before it commits is found out by kills', async () => {
  const entry = 'test/support/early-reply.ts'
  const { wrong } = await killed({ rounds: 12, longest: 300, entry })
  assert.match(wrong.join('\n'), /lost: /)
})
