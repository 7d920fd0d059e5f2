import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffRecords } from './record-diff.ts'

test('reports each changed field with its old and new value', () => {
  const before = { name: 'A', lead_id: null, tag_ids: ['tag_1'], recurrence: null }
  const after = { name: 'B', lead_id: null, tag_ids: ['tag_1'], recurrence: { rrule: 'X' } }
  assert.deepEqual(diffRecords(before, after), {
    name: { from: 'A', to: 'B' },
    recurrence: { from: null, to: { rrule: 'X' } },
  })
})

test('ignores the order of object members', () => {
  const before = { metadata: { a: '1', b: '2' }, statuses: [{ key: 'todo', position: 0 }] }
  const after = { metadata: { b: '2', a: '1' }, statuses: [{ position: 0, key: 'todo' }] }
  assert.deepEqual(diffRecords(before, after), {})
})

test('reports reordered arrays and removed object members', () => {
  const before = { ids: ['a', 'b'], metadata: { a: '1' } }
  const after = { ids: ['b', 'a'], metadata: {} }
  assert.deepEqual(Object.keys(diffRecords(before, after)), ['ids', 'metadata'])
})

test('never reports derived fields, versions or URLs', () => {
  const before = { version: 1, updated_at: 'x', url: 'u', comment_count: 0, blocking_ids: [] }
  const after = { version: 2, updated_at: 'y', url: 'v', comment_count: 1, blocking_ids: ['t'] }
  const counts = (total: number) => ({ task_counts: { total }, time_spent_seconds: total })
  assert.deepEqual(diffRecords({ ...before, ...counts(1) }, { ...after, ...counts(2) }), {})
})

test('omits descriptions longer than 2,048 characters and sets truncated', () => {
  const short = { description: '🦆'.repeat(2_048) }
  const long = { description: 'x'.repeat(2_049) }
  assert.deepEqual(diffRecords(short, long), {
    description: { from: short.description, to: null, truncated: true },
  })
  assert.deepEqual(diffRecords({ description: null }, short), {
    description: { from: null, to: short.description },
  })
})
