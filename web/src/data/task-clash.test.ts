import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clashes, fieldsOf, inverseOf, patched, type Task } from './task-view.ts'

const task = {
  id: 'tsk_1',
  title: 'One',
  status: 'todo',
  assignee_ids: ['usr_1'],
  tag_ids: [],
  due_date: '2026-03-12',
  due_at: null,
  custom_fields: { budget: 5, place: 'here' },
  metadata: {},
} as unknown as Task

test('a patch of fields of the workspace changes the members that it names, and undoing gives them back', () => {
  const patch = { custom_fields: { budget: 7, colour: 'red' } }
  const after = patched(task, patch, undefined)
  assert.deepEqual(after.custom_fields, { budget: 7, place: 'here', colour: 'red' })
  const inverse = inverseOf(patch, task)
  assert.deepEqual(inverse, { custom_fields: { budget: 5, colour: null } })
  assert.deepEqual(patched(after, inverse, undefined).custom_fields, task.custom_fields)
})

test('what is added to a set is told as a change of it, and undone as a whole', () => {
  const patch = { add_assignee_ids: ['usr_2'], remove_assignee_ids: ['usr_1'] }
  assert.deepEqual(fieldsOf(patch), ['assignee_ids'])
  assert.deepEqual(patched(task, patch, undefined).assignee_ids, ['usr_2'])
  assert.deepEqual(inverseOf(patch, task), { assignee_ids: ['usr_1'] })
})

test('only a third value of the same field, or member, is a clash', () => {
  const theirs = (change: Partial<Task>) => ({ ...task, ...change })
  const mine = { title: 'Mine' }
  assert.equal(clashes('title', mine, task, theirs({ title: 'Theirs' })), true)
  assert.equal(clashes('title', mine, task, theirs({ title: 'Mine' })), false)
  assert.equal(clashes('title', mine, task, theirs({ status: 'done' })), false)
  const budget = { custom_fields: { budget: 7 } }
  const other = theirs({ custom_fields: { budget: 5, place: 'there' } })
  assert.equal(clashes('custom_fields', budget, task, other), false)
  const same = theirs({ custom_fields: { budget: 6, place: 'here' } })
  assert.equal(clashes('custom_fields', budget, task, same), true)
})
