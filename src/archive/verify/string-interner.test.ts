import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId, newRemapKey, remapId } from '#lib/id.ts'
import { createIdMapping } from '../import/line-loaders.ts'
import { StringInterner } from './archive-index.ts'

test('the string interner assigns the same numbers as a Map', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 }), (texts) => {
      const [keys, map] = [new StringInterner(), new Map<string, number>()]
      for (const text of texts) {
        const expected = map.has(text) ? undefined : map.size
        assert.equal(keys.add(text), expected)
        if (expected !== undefined) map.set(text, expected)
      }
      for (const [text, number] of map) assert.equal(keys.numberOf(text), number)
      assert.equal(keys.numberOf('never there'), undefined)
    }),
  )
  const many = new StringInterner()
  for (let n = 0; n < 20_000; n += 1) assert.equal(many.add(`id ${n}`), n)
  for (let n = 0; n < 20_000; n += 97) assert.equal(many.numberOf(`id ${n}`), n)
  assert.equal(many.count, 20_000)
})

test('twin ids differ from their ids, sort in the same order and convert back', () => {
  const key = newRemapKey()
  const ids = Array.from({ length: 500 }, (_, n) => newId('tsk', 1_700_000_000_000 + (n >> 4)))
  const twins = ids.map((id) => remapId(id, key))
  assert.deepEqual(twins.toSorted(), twins)
  assert.equal(new Set([...ids, ...twins]).size, 1_000)
  assert.deepEqual(
    twins.map((id) => remapId(id, key)),
    ids,
  )
  for (const id of twins) assert.match(id, /^tsk_[0-9a-hjkmnp-tv-z]{26}$/)
})

test('the id mapping replaces the ids of records anywhere in a value and leaves other ids', () => {
  const [mine, foreign, ada] = [newId('tsk'), newId('tsk'), newId('usr')]
  const keys = new StringInterner()
  keys.add(mine)
  const bob = newId('usr')
  const { mapValue, mapId } = createIdMapping(keys, new Map([[ada, bob]]), newRemapKey())
  const now = mapId(mine)
  assert.notEqual(now, mine)
  const value = {
    text: `See\n${mine}, ${foreign} and <@${ada}>; x${mine}`,
    deep: [{ [mine]: [mine, 1, null, true] }],
  }
  assert.deepEqual(mapValue(value), {
    text: `See\n${now}, ${foreign} and <@${bob}>; x${mine}`,
    deep: [{ [mine]: [now, 1, null, true] }],
  })
  assert.equal(createIdMapping(keys, new Map(), undefined).mapValue(value), value)
})
