import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId, newTwinKey, twinOf } from '#lib/id.ts'
import { Keys } from './keys.ts'
import { renaming } from './renaming.ts'

test('texts are numbered as a Map would number them, however many', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 }), (texts) => {
      const [keys, map] = [new Keys(), new Map<string, number>()]
      for (const text of texts) {
        const wanted = map.has(text) ? undefined : map.size
        assert.equal(keys.add(text), wanted)
        if (wanted !== undefined) map.set(text, wanted)
      }
      for (const [text, number] of map) assert.equal(keys.of(text), number)
      assert.equal(keys.of('never there'), undefined)
    }),
  )
  const many = new Keys()
  for (let n = 0; n < 20_000; n += 1) assert.equal(many.add(`id ${n}`), n)
  for (let n = 0; n < 20_000; n += 97) assert.equal(many.of(`id ${n}`), n)
  assert.equal(many.count, 20_000)
})

test('twins differ, stand in the same order and go back', () => {
  const key = newTwinKey()
  const ids = Array.from({ length: 500 }, (_, n) => newId('tsk', 1_700_000_000_000 + (n >> 4)))
  const twins = ids.map((id) => twinOf(id, key))
  assert.deepEqual(twins.toSorted(), twins)
  assert.equal(new Set([...ids, ...twins]).size, 1_000)
  assert.deepEqual(
    twins.map((id) => twinOf(id, key)),
    ids,
  )
  for (const id of twins) assert.match(id, /^tsk_[0-9a-hjkmnp-tv-z]{26}$/)
})

test('ids are renamed wherever they stand, and only those of records', () => {
  const [mine, foreign, ada] = [newId('tsk'), newId('tsk'), newId('usr')]
  const keys = new Keys()
  keys.add(mine)
  const bob = newId('usr')
  const { in: renamed, id } = renaming(keys, new Map([[ada, bob]]), newTwinKey())
  const now = id(mine)
  assert.notEqual(now, mine)
  const value = {
    text: `See\n${mine}, ${foreign} and <@${ada}>; x${mine}`,
    deep: [{ [mine]: [mine, 1, null, true] }],
  }
  assert.deepEqual(renamed(value), {
    text: `See\n${now}, ${foreign} and <@${bob}>; x${mine}`,
    deep: [{ [mine]: [now, 1, null, true] }],
  })
  assert.equal(renaming(keys, new Map(), undefined).in(value), value)
})
