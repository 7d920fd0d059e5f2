import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractSearchWords, hasAllWords, iterateWords } from './search-words.ts'
import { createSnippet } from './snippet.ts'

/** The snippet with its matches in brackets. */
function marked(text: string, q: string): string {
  const found = createSnippet(text, extractSearchWords(q))
  let [shown, at] = ['', 0]
  for (const [from, to] of found.ranges) {
    shown += `${found.text.slice(at, from)}[${found.text.slice(from, to)}]`
    at = to
  }
  return shown + found.text.slice(at)
}

const filler = (words: number) => Array.from({ length: words }, (_, at) => `filler${at}`).join(' ')

test('marks words that begin with a search word', () => {
  for (const [text, q, wanted] of [
    ['Fix the login', 'LOG', 'Fix the [login]'],
    ['Login and\nlogout, unlogged', 'log', '[Login] and [logout], unlogged'],
    ['Überprüfung E\u0301cole', 'éc überp', '[Überprüfung] [E\u0301cole]'],
    ['東京タワー', '京', '東[京]タワー'],
    ['İstanbul ΟΔΟΣ', 'οδος', 'İstanbul [ΟΔΟΣ]'],
    ['<b>bold</b>', 'bold', '<b>[bold]</b>'],
    ['nothing', 'x', 'nothing'],
    ['Not an apple, vitamin A', 'a', 'Not an apple, vitamin [A]'],
    ['nothing', '--', 'nothing'],
  ] as const) {
    assert.equal(marked(text, q), wanted)
  }
})

test('cuts long text around the first match at word boundaries', () => {
  const shown = marked(`${filler(500)} needle ${filler(500)} needle`, 'need')
  assert.match(shown, /^…filler\d+( filler\d+)* \[needle\]( filler\d+)+…$/)
  assert.match(marked(`needle ${filler(90)}`, 'needle'), /^\[needle\] .*filler\d+…$/)
  assert.match(marked(`${filler(90)} needle.`, 'needle'), /^…filler\d+ .*\[needle\]\.$/)
  const twoWords = marked(`${filler(90)} one ${filler(90)} two ${filler(90)}`, 'one missing two')
  assert.match(twoWords, /^…filler\d+ .*\[one\]( filler\d+)+…$/)
  assert.match(marked('y'.repeat(600), 'yy'), /^\[y{198}\]…$/)
  assert.match(marked(`${'長'.repeat(900)}短${'長'.repeat(900)}`, '短'), /^…長+\[短\]長+…$/)
})

test('is short, well formed and marks all matches for any text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 900 })
  const some = fc.array(fc.constantFrom('a', 'ab', 'é', '東', 'ς', '😀', ' ', '\n', 'İ', '-'), {
    maxLength: 900,
  })
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        some.map((parts) => parts.join('')),
      ),
      (text) => {
        for (const word of extractSearchWords(text).slice(0, 5)) {
          const found = createSnippet(text, [word])
          assert.ok(found.text.length <= 200 && (found.text.isWellFormed() || !text.isWellFormed()))
          // A sign such as ½ stands for words, but is none that could be marked.
          const isPlain = text === text.normalize('NFKC')
          assert.ok(found.ranges.length > 0 || text.length > 200 || !isPlain, word)
          for (const [from, to] of found.ranges) {
            const [first] = [...iterateWords(found.text.slice(from, to))]
            assert.ok(first?.word.startsWith(word) || word.startsWith(first?.word ?? '-'))
          }
          assert.ok(hasAllWords(text, [word]))
        }
      },
    ),
    { numRuns: 300 },
  )
})
