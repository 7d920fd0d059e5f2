import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { fitting, knownTasks, mergedTasks } from './found.ts'

const task = (number: number, title: string, fields: Partial<Task> = {}) =>
  ({
    ...{ id: `tsk_${number}`, number, short_id: `DOC-${number}`, title },
    ...{ completed_at: null, canceled_at: null },
    ...fields,
  }) as Task

test('an exact number comes first, however it is typed', () => {
  const tasks = [task(421, 'Ship 42 things'), task(42, 'Other')]
  for (const typed of ['doc-42', 'DOC-42', '42 ']) {
    assert.equal(knownTasks(tasks, typed)[0]?.number, 42, typed)
  }
})

test('what is finished comes after what is not', () => {
  const tasks = [task(1, 'Write it', { completed_at: 'then' }), task(2, 'Write that')]
  assert.deepEqual(
    knownTasks(tasks, 'write').map(({ number }) => number),
    [2, 1],
  )
})

test('what the server adds never moves what stands there', () => {
  const known = [task(2, 'b'), task(1, 'a')]
  const merged = mergedTasks(known, [task(1, 'a'), task(3, 'c')])
  assert.deepEqual(
    merged.map(({ number }) => number),
    [2, 1, 3],
  )
})

test('entries are found by their label or what stands in the gutter', () => {
  const entry = { kind: 'place' as const, hint: '', run: () => undefined }
  const entries = [
    { ...entry, key: 'a', label: 'Operations', gutter: 'OPS' },
    { ...entry, key: 'b', label: 'Public API', gutter: 'API' },
  ]
  assert.deepEqual(
    fitting(entries, 'ops').map(({ key }) => key),
    ['a'],
  )
  assert.deepEqual(
    fitting(entries, 'pub').map(({ key }) => key),
    ['b'],
  )
})
