import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, newRemapKey, remapId } from '#lib/id.ts'
import { createIdMapping } from './line-loaders.ts'

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
  const bob = newId('usr')
  const { mapValue, mapId } = createIdMapping(
    new Map([[ada, bob]]),
    newRemapKey(),
    (id) => id === mine,
  )
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
  assert.equal(createIdMapping(new Map(), undefined, () => false).mapValue(value), value)
})
