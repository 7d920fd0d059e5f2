import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { createRowBuffer } from './row-buffer.ts'

test('keeps nothing of an invalid row in memory but the id that others refer to', () => {
  const buffer = createRowBuffer('imp_1', 10)
  const add = (number: number, fields: Partial<ImportedTask>) =>
    buffer.add({ row: { ...emptyImportedTask(number), title: 'One', ...fields }, warnings: [] })
  const blocked_by = Array.from({ length: 51 }, (_, at) => `k${at}`)
  assert.equal(add(1, { key: 'a', parent: 'b', blocked_by: ['c'] }), true)
  assert.equal(add(2, { key: 'b', parent: 'a', blocked_by }), false)
  assert.equal(add(3, { key: 'x'.repeat(256) }), false)
  const invalid = { parent: null, needs: [], isInvalid: true }
  assert.deepEqual(buffer.nodes, [
    { number: 1, key: 'a', parent: 'b', needs: ['c'], isInvalid: false },
    { number: 2, key: 'b', ...invalid },
    { number: 3, key: null, ...invalid },
  ])
})
