import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween } from './changes.ts'

test('changes name the fields that differ, with both sides', () => {
  const before = { name: 'A', lead_id: null, tag_ids: ['tag_1'], recurrence: null }
  const after = { name: 'B', lead_id: null, tag_ids: ['tag_1'], recurrence: { rrule: 'X' } }
  assert.deepEqual(changesBetween(before, after), {
    name: { from: 'A', to: 'B' },
    recurrence: { from: null, to: { rrule: 'X' } },
  })
})

test('what is equal as JSON is no change, whatever the order of its members', () => {
  const before = { metadata: { a: '1', b: '2' }, statuses: [{ key: 'todo', position: 0 }] }
  const after = { metadata: { b: '2', a: '1' }, statuses: [{ position: 0, key: 'todo' }] }
  assert.deepEqual(changesBetween(before, after), {})
})

test('an array in another order and a member gone are changes', () => {
  const before = { ids: ['a', 'b'], metadata: { a: '1' } }
  const after = { ids: ['b', 'a'], metadata: {} }
  assert.deepEqual(Object.keys(changesBetween(before, after)), ['ids', 'metadata'])
})

test('derived fields, versions and addresses are never listed', () => {
  const before = { version: 1, updated_at: 'x', url: 'u', comment_count: 0, blocking_ids: [] }
  const after = { version: 2, updated_at: 'y', url: 'v', comment_count: 1, blocking_ids: ['t'] }
  const counts = (total: number) => ({ task_counts: { total }, time_spent_seconds: total })
  assert.deepEqual(changesBetween({ ...before, ...counts(1) }, { ...after, ...counts(2) }), {})
})

test('a side of a description that is longer than 2,048 characters is left out', () => {
  const short = { description: '🦆'.repeat(2_048) }
  const long = { description: 'x'.repeat(2_049) }
  assert.deepEqual(changesBetween(short, long), {
    description: { from: short.description, to: null, truncated: true },
  })
  assert.deepEqual(changesBetween({ description: null }, short), {
    description: { from: null, to: short.description },
  })
})
