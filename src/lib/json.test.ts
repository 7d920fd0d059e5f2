import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeTexts } from './json.ts'

test('encodes texts one after the other, whatever their characters', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      assert.deepEqual(encodeTexts(texts), Buffer.from(texts.join('')))
    }),
    { numRuns: 2_000 },
  )
})

test('a text that exceeds the length of ASCII by few bytes is not cut', () => {
  for (const texts of [['é'], ['aé', 'b'], ['a', '🙂'], ['é', 'aaa'], ['€'], ['a€a', '🙂🙂'], ['']])
    assert.equal(encodeTexts(texts).toString(), texts.join(''))
})
