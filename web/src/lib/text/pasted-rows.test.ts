import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePastedRows } from './pasted-rows.ts'

test('separates cells by tabs alone, and takes quotes for those of a spreadsheet where it needs them', () => {
  const cases: Record<string, string[][]> = {
    'Buy milk, eggs; bread\r\nCall Bob, today\n': [['Buy milk, eggs; bread'], ['Call Bob, today']],
    'a\t"b\nc ""d"""\te\n\n"f\tg"': [['a', 'b\nc "d"', 'e'], ['f\tg']],
    '"Yes"\n"No", he said\n""\n"': [['"Yes"'], ['"No", he said'], ['"']],
  }
  for (const [pasted, rows] of Object.entries(cases))
    assert.deepEqual(parsePastedRows(pasted), rows, pasted)
})
