import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberRows } from './source.ts'

test('numbers the rows of many records in another order, of equal ones the first first', () => {
  const records = Array.from({ length: 4_500 }, (_, at) => ({
    at,
    position: (at * 7) % 50,
    rows: at % 3,
  }))
  const numbers = numberRows(
    records,
    (a, b) => a.position - b.position,
    ({ rows }) => rows,
  )
  let next = 1
  for (const { at, rows } of records.toSorted((a, b) => a.position - b.position || a.at - b.at)) {
    assert.equal(numbers[at], next)
    next += rows
  }
  assert.deepEqual(
    numberRows([], () => 0),
    [],
  )
})
