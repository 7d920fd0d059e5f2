import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Left, leftByKill, rotting, unchecked } from './rot.ts'

let left: Left
before(async () => {
  left = await leftByKill()
})

test('whatever bits rot, a damaged database is not served', async () => {
  const { refused, served, faults } = await rotting(left, 30)
  assert.deepEqual(faults, [])
  assert.ok(refused > 1 && served > 1, `${refused} refused, ${served} served`)
})

test('a start without a look at the database is found out', async () => {
  const { faults } = await rotting(left, 30, unchecked)
  assert.match(faults.join(), /is served, and damaged/)
})
