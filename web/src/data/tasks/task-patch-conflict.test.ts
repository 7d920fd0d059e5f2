import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { findConflictingFields } from './field-conflicts.ts'
import {
  applyPatch,
  getPatchedFields,
  invertPatch,
  type Task,
  type TaskPatch,
} from './task-patch.ts'

const task = createTaskRecord({
  assignee_ids: ['usr_1'],
  due_date: '2026-03-12',
  custom_fields: { budget: 5, place: 'here' },
})

test('a custom_fields patch merges the keys that it names, and its inverse restores them', () => {
  const patch = { custom_fields: { budget: 7, colour: 'red' } }
  const after = applyPatch(task, patch, undefined)
  assert.deepEqual(after.custom_fields, { budget: 7, place: 'here', colour: 'red' })
  const inverse = invertPatch(patch, task)
  assert.deepEqual(inverse, { custom_fields: { budget: 5, colour: null } })
  assert.deepEqual(applyPatch(after, inverse, undefined).custom_fields, task.custom_fields)
})

test('the inverse of adding to a set removes what was added, and nothing else', () => {
  const patch = { add_assignee_ids: ['usr_2'], remove_assignee_ids: ['usr_1'] }
  assert.deepEqual(getPatchedFields(patch), ['assignee_ids'])
  assert.deepEqual(applyPatch(task, patch, undefined).assignee_ids, ['usr_2'])
  const inverse = invertPatch(patch, task)
  assert.deepEqual(inverse, { add_assignee_ids: ['usr_1'], remove_assignee_ids: ['usr_2'] })
  const theirs = { ...task, assignee_ids: ['usr_2', 'usr_3'] }
  assert.deepEqual(applyPatch(theirs, inverse, undefined).assignee_ids, ['usr_1', 'usr_3'])
  assert.deepEqual(invertPatch({ add_assignee_ids: ['usr_1'] }, task), {}, 'it had no effect')
})

test('reports a conflict only if both sides set the same field or key to different values', () => {
  const findConflicts = (patch: TaskPatch, theirs: Partial<Task>) =>
    findConflictingFields({ kind: 'patch', patch, from: task }, { ...task, ...theirs })
  assert.deepEqual(findConflicts({ title: 'Mine' }, { title: 'Theirs' }), ['title'])
  assert.deepEqual(findConflicts({ title: 'Mine' }, { title: 'Mine' }), [])
  assert.deepEqual(findConflicts({ title: 'Mine' }, { status: 'done' }), [])
  const budget = { custom_fields: { budget: 7 } }
  const other = { custom_fields: { budget: 5, place: 'there' } }
  assert.deepEqual(findConflicts(budget, other), [])
  const same = { custom_fields: { budget: 6, place: 'here' } }
  assert.deepEqual(findConflicts(budget, same), ['custom_fields'])
})
