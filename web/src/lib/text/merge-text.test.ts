import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinPieces, type MergePiece, mergeText } from './merge-text.ts'

const text = (...lines: string[]) => lines.join('\n')
const base = text('one', 'two', 'three', 'four', 'five')
const clashes = (pieces: readonly MergePiece[]) => pieces.filter(({ kind }) => kind === 'clash')

test('merges changes of both sides to different lines', () => {
  const pieces = mergeText(
    base,
    text('ONE', 'two', 'three', 'four', 'five'),
    text('one', 'two', 'three', 'five', 'six'),
  )
  assert.equal(joinPieces(pieces), text('ONE', 'two', 'three', 'five', 'six'))
  assert.deepEqual(clashes(pieces), [])
})

test('merges identical changes of both sides into one', () => {
  const both = text('one', '2', 'three', 'four', 'five')
  assert.equal(joinPieces(mergeText(base, both, both)), both)
})

test('keeps both versions of a line that both sides changed until one is chosen', () => {
  const pieces = mergeText(base, base.replace('three', 'mine'), base.replace('three', 'theirs'))
  assert.deepEqual(clashes(pieces), [{ kind: 'clash', mine: ['mine'], theirs: ['theirs'] }])
  assert.equal(joinPieces(pieces), text('one', 'two', 'mine', 'theirs', 'four', 'five'))
  assert.equal(
    joinPieces(pieces, () => 'theirs'),
    base.replace('three', 'theirs'),
  )
  assert.equal(
    joinPieces(pieces, () => 'mine'),
    base.replace('three', 'mine'),
  )
})

test('reports a clash if one side deletes a line that the other changes', () => {
  const pieces = mergeText(base, base.replace('three\n', ''), base.replace('three', '3'))
  assert.deepEqual(clashes(pieces), [{ kind: 'clash', mine: [], theirs: ['3'] }])
})

test('keeps both texts if the base is empty', () => {
  assert.equal(joinPieces(mergeText('', 'a', 'b')), 'a\nb')
  assert.equal(joinPieces(mergeText('', '', '')), '')
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })

test('property: an unchanged side yields the other text, and a merge invents no lines', () => {
  fc.assert(
    fc.property(lines, lines, lines, (from, mine, theirs) => {
      const [b, m, t] = [text(...from), text(...mine), text(...theirs)]
      assert.equal(joinPieces(mergeText(b, b, t)), t)
      assert.equal(joinPieces(mergeText(b, m, b)), m)
      assert.equal(joinPieces(mergeText(b, m, m)), m)
      const known = new Set([...from, ...mine, ...theirs, ''])
      const result = joinPieces(mergeText(b, m, t)).split('\n')
      assert.ok(result.every((line) => known.has(line)))
    }),
    { numRuns: 500 },
  )
})

test('takes texts with very many changes as entirely different instead of comparing them for long', () => {
  const changed = (word: string) =>
    Array.from({ length: 2_000 }, (_, at) => (at % 2 === 0 ? `${word} ${at}` : `line ${at}`))
  const [mine, theirs] = [changed('mine'), changed('theirs')]
  const pieces = mergeText(text(...changed('base')), text(...mine), text(...theirs))
  assert.deepEqual(clashes(pieces)[0], {
    kind: 'clash',
    mine: mine.slice(0, -1),
    theirs: theirs.slice(0, -1),
  })
  assert.equal(clashes(pieces).length, 1)
})
