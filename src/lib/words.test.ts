import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '#test/support/cpu.ts'
import { fold, lengthOf } from './fold.ts'
import { wordsOf } from './words.ts'

const examples: [text: string, words: string[]][] = [
  ['', []],
  ['  – … !? ', []],
  ['Fix the fix: v2.10', ['fix', 'the', 'v2', '10']],
  ["snake_case don't", ['snake', 'case', 'don', 't']],
  ['École ecole E\u0301COLE', ['école', 'ecole']],
  ['हिन्दी भाषा', ['हिन्दी', 'भाषा']],
  ['東京 東Tower2', ['東', '京', 'tower2']],
  ['コーヒーabc', ['コ', 'ー', 'ヒ', 'abc']],
  ['abcかな9', ['abc', 'か', 'な', '9']],
  ['葛\u{e0100}城', ['葛\u{e0100}', '城']],
  ['한국어 Ελλάς', ['한국어', 'ελλάσ']],
]

for (const [text, words] of examples) {
  test(`the words of “${text}” are ${words.length}`, () => assert.deepEqual(wordsOf(text), words))
}

test('a capital word with a sigma at its end is a prefix of a longer one', () => {
  assert.ok(wordsOf('ΟΔΟΣΗΜΟ')[0]?.startsWith(wordsOf('ΟΔΟΣ')[0] ?? '-'))
})

test('a word is cut to 400 code points', () => {
  assert.deepEqual(wordsOf('x'.repeat(500)), ['x'.repeat(400)])
  assert.deepEqual(wordsOf('\u{20bb7}'.repeat(3)), ['\u{20bb7}'])
  assert.deepEqual(wordsOf('\u{1d7d8}'.repeat(401)), ['\u{1d7d8}'.repeat(400)])
})

test('words are distinct, within the folded text, and the words of themselves', () => {
  const anyText = fc.string({
    unit: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 2 }),
      fc.constantFrom(' ', 'Σ', '漢', 'か', 'a\u0301'),
    ),
  })
  fc.assert(
    fc.property(anyText, (text) => {
      const words = wordsOf(text)
      assert.equal(new Set(words).size, words.length)
      for (const word of words) {
        assert.ok(fold(text).replaceAll('ς', 'σ').includes(word))
        assert.ok(lengthOf(word) >= 1)
        assert.deepEqual(wordsOf(word), [word])
      }
    }),
  )
})

test('a text takes time in proportion to its length, whatever is in it', () => {
  for (const text of ['a', 'a ', '!', 'Σ', 'ｶﾞ', '\u{1d400}', 'a\u0301\u0316', '漢\u{e0100}']) {
    assertLinear(wordsOf, (length) => text.repeat(length / lengthOf(text)), 65_536)
  }
  const different = (length: number) =>
    String.fromCodePoint(...Array.from({ length }, (_, n) => 0x20000 + n))
  assertLinear(wordsOf, different, 40_000)
})
