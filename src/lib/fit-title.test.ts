import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitTitle } from './fit-title.ts'
import { toOneLine } from './one-line.ts'

test('takes a line of up to 500 characters as the title', () => {
  const line = '🙂'.repeat(500)
  assert.deepEqual(fitTitle(line), { title: line })
})

test('cuts a longer line at a word and keeps all of it in the description', () => {
  const line = 'word '.repeat(120).trim()
  const title = 'word '.repeat(100).trim()
  assert.deepEqual(fitTitle(line), { title, description: line })
  // The space is the first character that does not fit.
  const exact = 'x'.repeat(500)
  assert.deepEqual(fitTitle(`${exact} more`), { title: exact, description: `${exact} more` })
  const last = `${'x'.repeat(490)} ${'y'.repeat(30)}`
  assert.equal(fitTitle(last).title, 'x'.repeat(490))
})

test('cuts a word that is too long between two characters', () => {
  const line = '🙂'.repeat(501)
  assert.deepEqual(fitTitle(line), { title: '🙂'.repeat(500), description: line })
  assert.equal(fitTitle(`x${'👍🏽'.repeat(300)}`).title, `x${'👍🏽'.repeat(249)}`)
  const address = `See ${'a'.repeat(600)}`
  assert.equal(fitTitle(address).title, `See ${'a'.repeat(496)}`)
})

test('makes one blank of white space of every kind, and drops what nobody can type', () => {
  const text = ' a\tb\r\nc\u000bd\fe\u0085f\u2028g\u00a0\u3000h\u0000\u001b '
  assert.equal(toOneLine(text), 'a b c d e f g h')
  assert.equal(toOneLine('\ud800'), '\ufffd')
  const long = 'line\n'.repeat(200)
  assert.deepEqual(fitTitle(long), { title: 'line '.repeat(100).trim(), description: long })
})
