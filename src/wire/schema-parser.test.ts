import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { fieldError } from './field-error.ts'
import { EmailAddress, MultilineText, Optional, StrictObject } from './schema-builders.ts'
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

const codes = (text: string) =>
  createSchemaParser(Type.String({ minLength: 8, maxLength: 10 }))(text).errors.map(
    ({ code }) => code,
  )

test('counts minimum and maximum length in code points', () => {
  assert.deepEqual(codes('𝒳'.repeat(7)), ['too_short'])
  assert.deepEqual(codes('𝒳'.repeat(8)), [])
  assert.deepEqual(codes('𝒳'.repeat(10)), [])
  assert.deepEqual(codes('𝒳'.repeat(11)), ['too_long'])
  assert.deepEqual(codes('a'.repeat(7)), ['too_short'])
})

test('trims and lower-cases email addresses and demands one @', () => {
  const read = createSchemaParser(EmailAddress())
  assert.deepEqual(read(' Ada.Lovelace@Example.COM\n'), {
    value: 'ada.lovelace@example.com',
    errors: [],
  })
  for (const no of ['', 'ada', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\u0000', 'a@b\r\nBcc: x']) {
    assert.deepEqual(read(no).errors[0]?.code, 'invalid_format', JSON.stringify(no))
  }
  assert.deepEqual(read(`${'a'.repeat(250)}@b.c`).errors[0]?.code, undefined)
  assert.deepEqual(read(`${'a'.repeat(251)}@b.c`).errors[0]?.code, 'too_long')
  assert.deepEqual(read(['a@b']).errors[0]?.code, 'invalid_type')
})
