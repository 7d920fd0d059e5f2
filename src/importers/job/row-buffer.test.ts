import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { fitRow } from '../mapping/fit-row.ts'
import { createRowBuffer } from './order-rows.ts'

test('keeps of each row what orders it, and gives a repeated id to the first row alone', () => {
  const buffer = createRowBuffer('imp_1')
  const add = (number: number, fields: Partial<ImportedTask>) =>
    buffer.add(fitRow({ row: { ...emptyImportedTask(number), ...fields }, warnings: [] }))
  add(1, { title: 'One', key: 'a', parent: 'b', blocked_by: ['c'] })
  add(2, { key: 'b', parent: 'a' })
  add(3, { title: 'Two', key: 'a' })
  add(4, { title: 'Three', key: 'a' })
  add(5, { title: 'Four', key: 'x'.repeat(256) })
  const keys = buffer.nodes.map(({ key }) => key ?? '')
  assert.deepEqual(keys.slice(0, 3), ['a', 'a (2)', 'a (3)'])
  assert.equal(keys[3]?.length, 255)
  assert.deepEqual(buffer.nodes[0], { number: 1, key: 'a', parent: 'b', blockers: ['c'] })
  assert.deepEqual([...buffer.warned], [3, 4])
  assert.equal(buffer.failed(), 1)
})
