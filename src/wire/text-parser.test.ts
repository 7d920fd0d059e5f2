import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { EmailAddress } from './schema-builders.ts'
import { createSchemaParser } from './schema-parser.ts'

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
