import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeTexts, freeBytes } from './json.ts'

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

test('freed bytes are empty, and no others change', () => {
  for (const text of ['a', 'é', 'a'.repeat(100_000), 'é'.repeat(100_000)]) {
    const others = [Buffer.from(text), encodeTexts([text])]
    const freed = encodeTexts([text])
    freeBytes(freed)
    assert.equal(freed.length, 0)
    for (const other of others) assert.equal(other.toString(), text)
  }
})
