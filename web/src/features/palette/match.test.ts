import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchOf, piecesOf, wordsOf } from './match.ts'

const marked = (text: string, typed: string) => {
  const match = matchOf(text, wordsOf(typed))
  return (
    match &&
    piecesOf(text, match)
      .map((piece, at) => (at % 2 ? `[${piece}]` : piece))
      .join('')
  )
}

test('a text is found by the beginnings of its words, in any order and case', () => {
  assert.equal(marked('Build the version switcher', 'VER bu'), '[Bu]ild the [ver]sion switcher')
  assert.equal(marked('Convert it', 'ver'), 'Con[ver]t it')
  assert.equal(marked('Überblick über alles', 'über'), '[Über]blick über alles')
  assert.equal(marked('Build', 'x'), undefined)
  assert.equal(marked('Anything', '  '), 'Anything')
})

test('a word that begins counts more than one within, and the first most', () => {
  const score = (text: string) => matchOf(text, ['ver'])?.score ?? 0
  assert.ok(score('Version') > score('A version'))
  assert.ok(score('A version') > score('Convert'))
})

test('ranges that overlap are marked once', () => {
  assert.equal(marked('version', 'ver version'), '[version]')
})
