import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText } from './cut-text.ts'

test('cuts a text between characters, however many code points they have', () => {
  const cases: [text: string, maxLength: number, cut: string][] = [
    ['short', 10, 'short'],
    ['longer', 4, 'long'],
    ['ab👨‍👩‍👧‍👦c', 12, 'ab'],
    ['ab👨‍👩‍👧‍👦c', 13, 'ab👨‍👩‍👧‍👦'],
    ['🇩🇪🇫🇷', 6, '🇩🇪'],
    ['ae\u0301b', 2, 'a'],
    ['👍🏽!', 3, ''],
    ['न्दि', 2, ''],
  ]
  for (const [text, maxLength, cut] of cases) assert.equal(cutText(text, maxLength), cut, text)
  // What has no end is cut all the same, but no pair of surrogates is.
  const accents = `e${'\u0301'.repeat(500)}`
  assert.equal(cutText(accents, 300).length, 300)
  assert.ok(cutText(`${'👍'}${'\u200d👍'.repeat(200)}`, 300).isWellFormed())
})
