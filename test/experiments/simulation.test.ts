import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulateAll } from './simulation.ts'

test('whatever is killed, frozen, cut off or changed when, no event is lost, doubled or overtaken', async () => {
  const { wrong, attempts } = await simulateAll(1, 200)
  assert.deepEqual(wrong, {})
  assert.ok(attempts > 15_000, `${attempts} attempts`)
})

test('writing without the claim is found out', async () => {
  const { wrong } = await simulateAll(1, 80, { fenced: false })
  assert.match(Object.values(wrong).flat().join('\n'), /who had lost the claim/)
})
