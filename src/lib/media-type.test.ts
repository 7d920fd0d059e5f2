import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefersToJson } from './media-type.ts'

test('an Accept header chooses by weight, the most specific range first, and JSON where it is equal', () => {
  const cases: [accept: string | undefined, isCsv: boolean][] = [
    [undefined, false],
    ['', false],
    ['text/csv', true],
    ['Text/CSV; charset=utf-8', true],
    ['text/csv;q=0.9, application/json;q=0.5', true],
    ['application/json;q=0.5,text/csv', true],
    ['text/csv;q=0.5, application/json;q=0.9', false],
    ['application/json, text/csv', false],
    ['text/csv;q=0', false],
    ['text/csv;q=0.000, */*;q=0.1', false],
    ['*/*', false],
    ['text/*', true],
    ['text/csv, */*', false],
    ['text/csv, */*;q=0.8', true],
    ['text/csv;q=0.2, text/*, application/*;q=0.5', false],
    ['text/html, application/xml;q=0.9, */*;q=0.8', false],
    ['application/*;q=0.1, text/csv;q=0.2', true],
    ['application/json;q=0, */*', true],
    ['text/csv;q=high, application/json;q=0.9', true],
  ]
  for (const [accept, isCsv] of cases) {
    assert.equal(prefersToJson(accept, 'text/csv'), isCsv, String(accept))
  }
})
