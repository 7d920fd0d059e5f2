import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drained } from '../experiments/drain.ts'

test('a server that is stopped under load fails no request and ends with 0', async () => {
  const { sent, failed, exits } = await drained({ rounds: 1 })
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0])
  assert.ok(sent > 30, `${sent} requests`)
})

test('a server that breaks off what it serves is found out', async () => {
  const { failed } = await drained({ rounds: 1, entry: 'test/support/abrupt.ts' })
  assert.ok(failed.length > 0)
})
