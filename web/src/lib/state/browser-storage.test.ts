import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteDatabase, guardStorage } from './browser-storage.ts'

class MemoryStorage implements Storage {
  [key: string]: unknown
  get length() {
    return Object.keys(this).length
  }
  key = () => null
  clear = () => undefined
  getItem = (key: string) => String(this[key] ?? '') || null
  setItem(key: string, value: string) {
    this[key] = value
  }
  removeItem(key: string) {
    delete this[key]
  }
}

test('stores, reads and removes values', () => {
  const storage = guardStorage(() => memory)
  const memory = new MemoryStorage()
  assert.equal(storage.read('docket.week'), undefined)
  assert.equal(storage.write('docket.week', '7'), true)
  assert.equal(storage.read('docket.week'), '7')
  assert.ok(storage.keys().includes('docket.week'))
  assert.equal(storage.write('docket.week', undefined), true)
  assert.equal(storage.read('docket.week'), undefined)
})

test('works without values in a browser that blocks site data', () => {
  const storage = guardStorage(() => {
    throw new DOMException('Access is denied', 'SecurityError')
  })
  assert.equal(storage.read('docket.week'), undefined)
  assert.equal(storage.write('docket.week', '7'), false)
  assert.equal(storage.write('docket.week', undefined), false)
  assert.deepEqual(storage.keys(), [])
})

test('reports a value for which there is no room, and keeps the earlier one', () => {
  const memory = new MemoryStorage()
  const storage = guardStorage(() => memory)
  storage.write('docket.week', '1')
  memory.setItem = () => {
    throw new DOMException('Full', 'QuotaExceededError')
  }
  assert.equal(storage.write('docket.week', '7'), false)
  assert.equal(storage.read('docket.week'), '1')
})

test('deletes no database in a browser that blocks site data', (t) => {
  const deleted: string[] = []
  let isBlocked = false
  const indexedDB = {
    deleteDatabase(name: string) {
      if (isBlocked) throw new DOMException('The operation is insecure', 'SecurityError')
      deleted.push(name)
    },
  }
  Object.assign(globalThis, { indexedDB })
  t.after(() => Reflect.deleteProperty(globalThis, 'indexedDB'))
  deleteDatabase('replies')
  isBlocked = true
  deleteDatabase('replies')
  assert.deepEqual(deleted, ['replies'])
})
