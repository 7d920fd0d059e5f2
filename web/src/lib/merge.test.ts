import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merge, type Piece, textOf } from './merge.ts'

const text = (...lines: string[]) => lines.join('\n')
const base = text('one', 'two', 'three', 'four', 'five')
const clashes = (pieces: readonly Piece[]) => pieces.filter(({ kind }) => kind === 'clash')

test('what each changed elsewhere is taken from both', () => {
  const pieces = merge(
    base,
    text('ONE', 'two', 'three', 'four', 'five'),
    text('one', 'two', 'three', 'five', 'six'),
  )
  assert.equal(textOf(pieces), text('ONE', 'two', 'three', 'five', 'six'))
  assert.deepEqual(clashes(pieces), [])
})

test('the same change by both is one', () => {
  const both = text('one', '2', 'three', 'four', 'five')
  assert.equal(textOf(merge(base, both, both)), both)
})

test('where both changed the same line, both stay until one is chosen', () => {
  const pieces = merge(base, base.replace('three', 'mine'), base.replace('three', 'theirs'))
  assert.deepEqual(clashes(pieces), [{ kind: 'clash', mine: ['mine'], theirs: ['theirs'] }])
  assert.equal(textOf(pieces), text('one', 'two', 'mine', 'theirs', 'four', 'five'))
  assert.equal(
    textOf(pieces, () => 'theirs'),
    base.replace('three', 'theirs'),
  )
  assert.equal(
    textOf(pieces, () => 'mine'),
    base.replace('three', 'mine'),
  )
})

test('a line that one deleted and the other changed is a clash', () => {
  const pieces = merge(base, base.replace('three\n', ''), base.replace('three', '3'))
  assert.deepEqual(clashes(pieces), [{ kind: 'clash', mine: [], theirs: ['3'] }])
})

test('from nothing, both texts are kept', () => {
  assert.equal(textOf(merge('', 'a', 'b')), 'a\nb')
  assert.equal(textOf(merge('', '', '')), '')
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })

test('any three texts: a side that changed nothing loses nothing, and choosing a side of all gives no other line', () => {
  fc.assert(
    fc.property(lines, lines, lines, (from, mine, theirs) => {
      const [b, m, t] = [text(...from), text(...mine), text(...theirs)]
      assert.equal(textOf(merge(b, b, t)), t)
      assert.equal(textOf(merge(b, m, b)), m)
      assert.equal(textOf(merge(b, m, m)), m)
      const known = new Set([...from, ...mine, ...theirs, ''])
      const result = textOf(merge(b, m, t)).split('\n')
      assert.ok(result.every((line) => known.has(line)))
    }),
    { numRuns: 500 },
  )
})

test('two long texts without a line in common are compared in reasonable time', () => {
  const long = (word: string) =>
    Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join('\n')
  const before = performance.now()
  const pieces = merge(long('a'), long('b'), long('c'))
  assert.equal(clashes(pieces).length, 1)
  assert.ok(performance.now() - before < 2_000)
})
