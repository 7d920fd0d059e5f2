import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePointLength } from './fold-case.ts'
import { extractQueryWords, extractSearchWords, hasAllWords, matchesWord } from './search-words.ts'

const examples: [text: string, words: string[]][] = [
  ['', []],
  ['  – … !? ', []],
  ['Fix the fix: v2.10', ['fix', 'the', 'v2', '10']],
  ["snake_case don't", ['snake', 'case', 'don', 't']],
  ['École ecole E\u0301COLE', ['ecole']],
  ['İniş INIS planı PLANI Straße STRASSE STRAẞE Łódź', ['inis', 'plani', 'strasse', 'lodz']],
  ['ﬁle ＡＢＣ ５', ['file', 'abc', '5']],
  ['ｶﾀﾞ カダ', ['カ', 'ダ']],
  ['Ёлка йод война', ['елка', 'йод', 'война']],
  ['مُحَمَّد שָׁלוֹם', ['محمد', 'שלום']],
  ['ความต้องการระบบ', ['ความต้องการ', 'ต้องการระบบ', 'ระบบ']],
  ['น้ำน้ำ', ['น้ำน้ำ', 'น้ำ']],
  ['ខ្ញុំអាន', ['ខ្ញុំអាន', 'អាន']],
  ['ແຜນງານຕອບ', ['ແຜນງານຕອບ', 'ຕອບ']],
  ['हिन्दी भाषा', ['हिन्दी', 'भाषा']],
  ['東京 東Tower2', ['東', '京', 'tower2']],
  ['コーヒーabc', ['コ', 'ー', 'ヒ', 'abc']],
  ['abcかな9', ['abc', 'か', 'な', '9']],
  ['葛\u{e0100}城', ['葛\u{e0100}', '城']],
  ['한국어 Ελλάς', ['한국어', 'ελλασ']],
]

for (const [text, words] of examples) {
  test(`the words of “${text}” are ${words.length}`, () =>
    assert.deepEqual(extractSearchWords(text), words))
}

test('folds a final sigma so that the word is a prefix of longer ones', () => {
  assert.ok(extractSearchWords('ΟΔΟΣΗΜΟ')[0]?.startsWith(extractSearchWords('ΟΔΟΣ')[0] ?? '-'))
})

test('cuts words to 400 code points', () => {
  assert.deepEqual(extractSearchWords('x'.repeat(500)), ['x'.repeat(400)])
  assert.deepEqual(extractSearchWords('\u{20bb7}'.repeat(3)), ['\u{20bb7}'])
  assert.deepEqual(extractSearchWords('\u{10400}'.repeat(401)), ['\u{10428}'.repeat(400)])
})

const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 2 }),
    fc.constantFrom(' ', 'Σ', '漢', 'か', 'a\u0301', '\u0301', 'ab', 'ความ', 'ระบบ', 'ﬁ'),
  ),
})

test('finds in a text the same words as an index of its words', () => {
  fc.assert(
    fc.property(anyText, fc.nat(20), fc.nat(4), (text, from, length) => {
      const words = extractSearchWords(text.slice(from, from + length))
      const indexed = extractSearchWords(text)
      const isFound = words.every((word) => indexed.some((other) => matchesWord(word, other)))
      assert.equal(hasAllWords(text, words), isFound)
    }),
    { numRuns: 500 },
  )
})

test('words are distinct, and folding them again changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const words = extractSearchWords(text)
      assert.equal(new Set(words).size, words.length)
      for (const word of words) {
        assert.ok(codePointLength(word) >= 1)
        assert.equal(extractSearchWords(word)[0], word)
      }
    }),
  )
})

test('finds Thai words in the middle of a run, also while the next word is being typed', () => {
  for (const typed of ['ระบบ', 'ต้องการ', 'ความต', 'ต้องการระบบ']) {
    assert.ok(hasAllWords('ABCความต้องการระบบ', extractQueryWords(typed)), typed)
  }
  assert.ok(!hasAllWords('ความต้องการระบบ', extractQueryWords('ประชุม')))
})
