import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST } from '#delivery/slots.ts'
import { HANGING, missingBeside, ONE_OF_TEN } from './neighbours.ts'

/** A fifth of the whole experiment's backlog. */
const OTHER = { ...HANGING, waiting: HANGING.waiting / 5 }

test('receivers that hang delay nobody else, in their workspace or in another', async () => {
  const how = { hanging: MOST.host, patienceMs: 50_000 }
  assert.equal(await missingBeside(ONE_OF_TEN, OTHER, how), 0)
})

test('control: where attempts begin as they come, those that hang leave no room for others', async () => {
  const entry = 'test/experiments/neighbours-unruled.ts'
  const how = { hanging: MOST.all, patienceMs: 500, entry }
  assert.notEqual(await missingBeside(ONE_OF_TEN, OTHER, how), 0)
})
