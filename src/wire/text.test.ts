import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { readerOf } from './read.ts'
import { Email } from './schema.ts'

const codes = (text: string) =>
  readerOf(Type.String({ minLength: 8, maxLength: 10 }))(text).faults.map(({ code }) => code)

test('lengths are counted in code points, the least as well as the most', () => {
  assert.deepEqual(codes('𝒳'.repeat(7)), ['too_short'])
  assert.deepEqual(codes('𝒳'.repeat(8)), [])
  assert.deepEqual(codes('𝒳'.repeat(10)), [])
  assert.deepEqual(codes('𝒳'.repeat(11)), ['too_long'])
  assert.deepEqual(codes('a'.repeat(7)), ['too_short'])
})

test('an e-mail address is trimmed, lower-cased and has one @', () => {
  const read = readerOf(Email())
  assert.deepEqual(read(' Ada.Lovelace@Example.COM\n'), {
    value: 'ada.lovelace@example.com',
    faults: [],
  })
  for (const no of ['', 'ada', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\u0000', 'a@b\r\nBcc: x']) {
    assert.deepEqual(read(no).faults[0]?.code, 'invalid_format', JSON.stringify(no))
  }
  assert.deepEqual(read(`${'a'.repeat(250)}@b.c`).faults[0]?.code, undefined)
  assert.deepEqual(read(`${'a'.repeat(251)}@b.c`).faults[0]?.code, 'too_long')
  assert.deepEqual(read(['a@b']).faults[0]?.code, 'invalid_type')
})
