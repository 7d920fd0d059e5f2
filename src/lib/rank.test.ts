import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rankBetween, ranksBetween } from './rank.ts'

test('keeps ranks in order wherever one is inserted', () => {
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(places, (chosen) => {
      const ranks: string[] = []
      for (const place of chosen) {
        const at = place % (ranks.length + 1)
        const rank = rankBetween(ranks[at - 1], ranks[at])
        assert.match(rank, /^[0-9A-Za-z]+$/)
        ranks.splice(at, 0, rank)
      }
      assert.deepEqual(ranks, inBytes(ranks))
      assert.equal(new Set(ranks).size, ranks.length)
    }),
  )
})

test('creates many ordered ranks strictly between two others', () => {
  const first = rankBetween(undefined, undefined)
  const second = rankBetween(first, undefined)
  for (const [before, after] of [
    [undefined, undefined],
    [undefined, first],
    [first, second],
    [second, undefined],
  ]) {
    const ranks = ranksBetween(before, after, 1000)
    const all = [before ?? '', ...ranks, after ?? '~']
    assert.equal(ranks.length, 1000)
    assert.equal(new Set(all).size, 1002)
    assert.deepEqual(all, inBytes(all))
  }
  assert.deepEqual(ranksBetween(first, second, 0), [])
})

test('ranks stay short after 10,000 appends', () => {
  let last = rankBetween(undefined, undefined)
  for (let n = 0; n < 10_000; n += 1) last = rankBetween(last, undefined)
  assert.ok(last.length <= 5)
})

test('throws for equal bounds', () => {
  assert.throws(() => rankBetween('a0', 'a0'))
})

const inBytes = (texts: string[]) =>
  texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
