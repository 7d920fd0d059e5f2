import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchText, splitByMatch, toSearchWords } from './text-match.ts'

const highlight = (text: string, typed: string) => {
  const match = matchText(text, toSearchWords(typed))
  return (
    match &&
    splitByMatch(text, match)
      .map((piece, index) => (index % 2 ? `[${piece}]` : piece))
      .join('')
  )
}

test('matches word beginnings in any order and case', () => {
  assert.equal(highlight('Build the version switcher', 'VER bu'), '[Bu]ild the [ver]sion switcher')
  assert.equal(highlight('Convert it', 'ver'), 'Con[ver]t it')
  assert.equal(highlight('Überblick über alles', 'über'), '[Über]blick über alles')
  assert.equal(highlight('Build', 'x'), undefined)
  assert.equal(highlight('Anything', '  '), 'Anything')
})

test('scores the beginning of the text above word beginnings, and those above the rest', () => {
  const score = (text: string) => matchText(text, ['ver'])?.score ?? 0
  assert.ok(score('Version') > score('A version'))
  assert.ok(score('A version') > score('Convert'))
})

test('merges overlapping ranges', () => {
  assert.equal(highlight('version', 'ver version'), '[version]')
})
