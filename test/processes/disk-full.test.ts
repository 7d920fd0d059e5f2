import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createPageLimitedDisk,
  findLossOnFullDisk,
  writeToFullDisk,
} from '../experiments/durability/disk-full.ts'

test('answers writes with 503 on a full disk, serves reads, and recovers without a restart', async () => {
  const { acks, refused, wrong } = await writeToFullDisk(1, () => createPageLimitedDisk())
  assert.deepEqual(wrong, [])
  assert.ok(acks > 30 && refused > 20, `${acks} writes, ${refused} refused`)
})

test('control: a server that ignores a lost transaction loses acknowledged writes', async () => {
  assert.notDeepEqual(await findLossOnFullDisk(12), [])
})
