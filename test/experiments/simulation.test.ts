import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundUnfenced, simulateAll } from './simulation.ts'

test('whatever is killed, frozen, cut off or changed when, no event is lost, doubled or overtaken', async () => {
  const { wrong, attempts } = await simulateAll(1, 60)
  assert.deepEqual(wrong, {})
  assert.ok(attempts > 4_500, `${attempts} attempts`)
})

test('writing without the claim is found out', async () => {
  assert.match(await foundUnfenced(1, 200), /who had lost the claim/)
})
