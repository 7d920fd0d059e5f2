import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSimulations } from './simulation.ts'

test('delivers every event once and in order, whatever is killed, frozen or changed', async () => {
  const { wrong, attempts } = await runSimulations(1, 20)
  assert.deepEqual(wrong, {})
  assert.ok(attempts > 1_500, `${attempts} attempts`)
})
