import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atom, createPartsSnapshot } from './atom.ts'
import { getSteppingOrder } from './stepping-order.ts'

const step = (previous: string, current: string, item: string) =>
  getSteppingOrder([...previous], [...current], item).join('')

test('keys step on from the place that an item had before it moved', () => {
  assert.equal(step('abcde', 'abdce', 'c'), 'abcde')
  assert.equal(step('abcde', 'bcdea', 'a'), 'abcde')
  assert.equal(step('abcde', 'eabcd', 'e'), 'abcde')
  assert.equal(step('abcde', 'abde', 'c'), 'abcde')
})

test('keys step on from an item that stays, past what is new or gone beside it', () => {
  assert.equal(step('abc', 'anbc', 'b'), 'anbc')
  assert.equal(step('abc', 'abnc', 'b'), 'abnc')
  assert.equal(step('ab', 'abn', 'b'), 'abn')
  assert.equal(step('ac', 'abc', 'b'), 'abc')
})

test('keys step past items that are gone or new at the place of one that has moved', () => {
  assert.equal(step('abcdefg', 'acfgxd', 'd'), 'acdfgx')
  assert.equal(step('abcd', 'abncd', 'n'), 'abncd')
})

test('a snapshot of parts changes with these parts alone, and outlives the object', () => {
  const boot = atom<{ unread: number; names: string[] } | undefined>(undefined)
  const read = createPartsSnapshot(boot, ['names'])
  assert.equal(read(), undefined)
  const first = { unread: 0, names: ['Ada'] }
  boot.set(first)
  assert.equal(read(), first)
  boot.set({ ...first, unread: 1 })
  assert.equal(read(), first)
  const renamed = { unread: 1, names: ['Ada', 'Grace'] }
  boot.set(renamed)
  assert.equal(read(), renamed)
  boot.set(undefined)
  assert.equal(read(), renamed)
})
