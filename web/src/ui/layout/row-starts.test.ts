import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RowStarts } from './row-starts.ts'

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
