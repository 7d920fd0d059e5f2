import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayOf, HANGING, ONE_OF_TEN } from './neighbours.ts'

const SECONDS = 2
const MOST_MS = 2_000
/** A fifth of the whole experiment's backlog. */
const OTHER = { ...HANGING, waiting: HANGING.waiting / 5 }

test('receivers that hang delay nobody else, in their workspace or in another', async () => {
  const delay = await delayOf(ONE_OF_TEN, OTHER, { seconds: SECONDS })
  assert.ok(delay <= MOST_MS, `${delay} ms`)
})

test('attempts that begin as they come are found out', async () => {
  const entry = 'test/experiments/neighbours-unruled.ts'
  const delay = await delayOf(ONE_OF_TEN, OTHER, { seconds: SECONDS, entry })
  assert.ok(delay > MOST_MS, `${delay} ms`)
})
