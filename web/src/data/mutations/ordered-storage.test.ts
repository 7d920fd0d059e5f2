import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MutationEntry } from './mutation-entry.ts'
import { OrderedStorage } from './ordered-storage.ts'

const entry = (key: string): MutationEntry<string> => {
  return { key, queueKey: 'a', label: '', payload: '', madeAt: 0, turn: 0 }
}

/** A storage that fails while `isBroken`, and the keys that each write puts and deletes. */
function createStorage() {
  const writes: { puts: string[]; deletes: readonly string[] }[] = []
  const state = { isBroken: false }
  const storage = new OrderedStorage<string>({
    async write(puts, deletes) {
      if (state.isBroken) throw new Error('QuotaExceededError')
      writes.push({ puts: puts.map(({ key }) => key), deletes })
    },
  })
  return { storage, state, writes }
}

test('repeats a failed deletion with the next writes until one succeeds', async () => {
  const { storage, state, writes } = createStorage()
  state.isBroken = true
  assert.equal(await storage.write([], ['discarded']), false)
  assert.equal(await storage.write([], ['canceled']), false)
  state.isBroken = false
  assert.equal(await storage.write([entry('new')], []), true)
  assert.equal(await storage.write([entry('newer')], []), true)
  assert.deepEqual(writes, [
    { puts: ['new'], deletes: ['discarded', 'canceled'] },
    { puts: ['newer'], deletes: [] },
  ])
})

test('repeats only the deletion of a failed write, and not if the entry is stored again', async () => {
  const { storage, state, writes } = createStorage()
  state.isBroken = true
  assert.equal(await storage.write([entry('new')], ['replaced', 'restored']), false)
  state.isBroken = false
  assert.equal(await storage.write([entry('restored')], []), true)
  assert.deepEqual(writes, [{ puts: ['restored'], deletes: ['replaced'] }])
})
