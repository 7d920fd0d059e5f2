import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fewPages, fullDisk, lossIn } from '../experiments/disk-full.ts'

test('without room writes are 503, reads go on, and all heals without a new start', async () => {
  const { acks, refused, wrong } = await fullDisk(1, () => fewPages())
  assert.deepEqual(wrong, [])
  assert.ok(acks > 30 && refused > 20, `${acks} writes, ${refused} refused`)
})

test('a server that does not see that it lost a transaction is found out', async () => {
  assert.notDeepEqual(await lossIn(4), [])
})
