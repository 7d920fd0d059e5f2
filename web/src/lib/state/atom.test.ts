import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atom, createPartsSnapshot } from './atom.ts'

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
