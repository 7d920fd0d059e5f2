import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { fieldError } from './field-error.ts'
import { MultilineText, Optional, StrictObject } from './schema-builders.ts'
import { createSchemaParser } from './schema-parser.ts'

const read = createSchemaParser(StrictObject({ title: Optional(MultilineText(0, 10)) }))

test('returns all field errors at once, up to a maximum', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]))
  assert.equal(read({ ...unknown(3), title: 'x'.repeat(11) }).errors.length, 4)
  assert.equal(read(unknown(100_000)).errors.length, 100)
})

test('truncates long names of unknown fields in errors', () => {
  const [one] = read({ ['x'.repeat(1_000)]: 1 }).errors
  assert.equal(one?.field.length, 80)
})

test('an error of a nested object has its whole path, in its message too', () => {
  const Item = StrictObject(
    { title: MultilineText(0, 10) },
    { 'x-together': () => [fieldError('data', 'required', 'is required')] },
  )
  const parse = createSchemaParser(StrictObject({ items: Type.Array(Item) }))
  assert.deepEqual(
    parse({ items: [{ title: 'short' }, {}] }).errors.map(({ message }) => message),
    [
      '`items[0].data` is required.',
      '`items[1].title` is required.',
      '`items[1].data` is required.',
    ],
  )
})

test('a pattern that nobody has described in words cannot be used', () => {
  assert.throws(() => createSchemaParser(Type.String({ pattern: '^a$' })), /in words/)
})
