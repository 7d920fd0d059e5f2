import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from './document.ts'
import { inWords, inWordsOfQuery } from './words.ts'

const plain = (html: string) => html.replace(/<[^>]+>/g, '')
const nothing = { type: 'null' }

const CASES: readonly (readonly [Schema, string])[] = [
  [{ type: 'string', minLength: 1, maxLength: 500 }, 'string, 1 to 500 characters'],
  [{ type: 'string', minLength: 0, maxLength: 65536 }, 'string, at most 65,536 characters'],
  [{ type: 'string', minLength: 1 }, 'string, at least 1 character'],
  [{ type: 'string', format: 'line', maxLength: 50 }, 'string of one line, at most 50 characters'],
  [{ type: 'string', pattern: '^usr_[0-9a-z]{26}$' }, 'usr_ id'],
  [{ type: 'string', pattern: '^[A-Z]+$' }, 'string, matching ^[A-Z]+$'],
  [{ type: 'integer', minimum: 0, maximum: 86400 }, 'integer, 0 to 86,400'],
  [{ type: 'integer', minimum: 1 }, 'integer, at least 1'],
  [{ anyOf: [{ type: 'string', format: 'date' }, nothing] }, 'date, or null'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'timestamp, or null'],
  [{ enum: ['low', 'high'], default: 'low' }, 'one of low, high, default low'],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }, nothing] }, 'one of a, b, or null'],
  [
    {
      type: 'array',
      items: { type: 'string', pattern: '^tag_x' },
      maxItems: 50,
      uniqueItems: true,
    },
    'array of tag_ ids, at most 50 items, no repeats',
  ],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of string'],
  [{}, 'any value'],
]

for (const [schema, words] of CASES) {
  test(`a schema is told as "${words}"`, () => {
    assert.equal(plain(inWords(schema, () => false).html), words)
  })
}

test('a record is a link, and any other named schema is its name', () => {
  const schema = { $ref: '#/components/schemas/Task' }
  assert.equal(inWords(schema, () => true).html, '<a href="#record-task">Task</a>')
  assert.equal(inWords(schema, () => false).html, 'Task')
})

test('several values of a query parameter are separated by commas', () => {
  const schema = { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 50 }
  const words = plain(inWordsOfQuery(schema, () => false).html)
  assert.equal(words, 'one of a, b; several separated by commas, at most 50')
})
