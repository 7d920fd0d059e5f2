import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fewPages, fullDisk } from '../experiments/disk-full.ts'

test('without room writes are 503, reads go on, and all heals without a new start', async () => {
  const { acks, refused, wrong } = await fullDisk(2, () => fewPages())
  assert.deepEqual(wrong, [])
  assert.ok(acks > 50 && refused > 20, `${acks} writes, ${refused} refused`)
})

test('a server that does not see that it lost a transaction is found out', async () => {
  const { wrong } = await fullDisk(3, () => fewPages('test/support/lost-ignored.ts'))
  assert.match(wrong.join('\n'), /lost: /)
})
