import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLongestAscent } from './sort-rows.ts'

test('as many rows as possible stay where they are', () => {
  assert.deepEqual(findLongestAscent([], -1), [])
  assert.deepEqual(findLongestAscent([1, 2, 3], -1), [0, 1, 2])
  // Scrolled down, and up.
  assert.deepEqual(findLongestAscent([6, 7, 3, 4, 5], -1), [2, 3, 4])
  assert.deepEqual(findLongestAscent([3, 4, 5, 1, 2], -1), [0, 1, 2])
  assert.deepEqual(findLongestAscent([4, 1, 3, 2, 5], -1).length, 3)
})

test('the row with the focus stays, even if more would have to move', () => {
  assert.deepEqual(findLongestAscent([6, 7, 3, 4, 5], 0), [0, 1])
  assert.deepEqual(findLongestAscent([3, 4, 5, 1, 2], 4), [3, 4])
  assert.deepEqual(findLongestAscent([3, 1, 2], 1), [1, 2])
})
