import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveBefore, sortByOwnOrder } from './today-order.ts'

test('sorts by the own order, and leaves what has no place in it at the end as it was', () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  const ids = sortByOwnOrder(all, ['gone', 'c', 'a']).map(({ id }) => id)
  assert.deepEqual(ids, ['c', 'a', 'b', 'd'])
})

test('moves one before another or to the end', () => {
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'c', 'a'), ['c', 'a', 'b'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'a', 'c'), ['b', 'a', 'c'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'a', undefined), ['b', 'c', 'a'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'b', 'b'), ['a', 'b', 'c'])
})
