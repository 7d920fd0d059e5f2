import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignSlots, findLongestAscent, type RowSlots } from './row-slots.ts'
import { RowStarts } from './row-starts.ts'

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
const always = () => true

test('an element that may not be used again is left out', () => {
  const before = assignSlots(new Map<number, number>(), [1, 2], always)
  const after = assignSlots(before, [3, 4], (row) => row !== 1)
  assert.equal(after.get(3), before.get(2))
  assert.notEqual(after.get(4), before.get(1))
})

test('wherever a list is scrolled to, each row has an element of its own and keeps it', () => {
  let slots: RowSlots<number> = new Map()
  let [first, length] = [0, 30]
  for (const step of [2, 5, -4, 11, 200, -3, 2, -190, 40, -7, 1, 1, -2]) {
    first += step
    length = 24 + (Math.abs(step * 7) % 12)
    // The row of the cursor is shown wherever it is.
    const rows = [...new Set([3, ...range(first, first + length)])].sort((a, b) => a - b)
    const next = assignSlots(slots, rows, always)
    assert.deepEqual([...next.keys()], rows)
    assert.equal(new Set(next.values()).size, rows.length)
    for (const row of rows) if (slots.has(row)) assert.equal(next.get(row), slots.get(row))
    slots = next
  }
})

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

const height = fc.integer({ min: 1, max: 200 })
const spacing = fc.record({ estimate: height, gap: fc.nat(20), before: fc.nat(20) })

test('each distance is in the row that it finds, and the rows follow each other (property test)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(height), { minLength: 1, maxLength: 50 }),
      spacing,
      fc.integer({ min: -100, max: 12_000 }),
      (rows, spacing, distance) => {
        const heights = new Map(rows.flatMap((height, row) => (height ? [[row, height]] : [])))
        const starts = new RowStarts([...rows.keys()], heights, spacing)
        assert.equal(starts.count, rows.length)
        assert.equal(starts.at(0), spacing.before)
        assert.equal(starts.at(rows.length), starts.end)
        for (const [row, height] of heights) {
          assert.ok(Math.abs(starts.at(row + 1) - starts.at(row) - height - spacing.gap) < 1e-6)
        }
        const index = starts.indexAt(distance)
        if (distance >= spacing.before) assert.ok(starts.at(index) <= distance)
        if (distance < starts.end) assert.ok(starts.at(index + 1) > distance)
      },
    ),
  )
})

test('a row that was not measured counts as high as the others on average', () => {
  const rows = ['a', 'b', 'c']
  const end = (heights: [string, number][]) =>
    new RowStarts(rows, new Map(heights), { estimate: 10 }).end
  assert.equal(end([]), 30)
  assert.equal(
    end([
      ['a', 20],
      ['b', 40],
    ]),
    90,
  )
  // Heights of rows that are not in the list do not count.
  assert.equal(end([['x', 100]]), 30)
})
