import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '#resources/projects/contract.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { findConflictingFields } from './field-conflicts.ts'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'
import {
  applyChanges,
  applyPatch,
  getPatchedFields,
  invertPatch,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'

type StatusOfProject = Project['statuses'][number]
const status = (
  key: string,
  category: StatusOfProject['category'],
  position: number,
): StatusOfProject => ({ key, name: key, category, position, color: '#000000' })
const project = {
  statuses: [
    status('todo', 'unstarted', 0),
    status('done', 'completed', 1),
    status('no', 'canceled', 2),
  ],
}

const task = createTaskRecord({
  title: 'A',
  assignee_ids: ['usr_a'],
  due_date: '2026-03-12',
  due_at: '2026-03-12T10:00:00.000Z',
})

const change = (kind: TaskChange['kind'], patch: TaskChange['patch']): TaskChange => ({
  key: 'k',
  kind,
  patch,
  from: task,
})

test('applies pending changes in order, and a pending deletion hides the task', () => {
  const changes = [change('patch', { title: 'B' }), change('complete', { status: 'done' })]
  const view = applyChanges(task, changes, project)
  assert.equal(view?.title, 'B')
  assert.equal(view?.status_category, 'completed')
  assert.match(view?.completed_at ?? '', /^\d{4}-/)
  assert.equal(applyChanges(task, [...changes, change('delete', {})], project), undefined)
})

test('applies a patch as the server will apply it', () => {
  const next = applyPatch(
    task,
    { add_assignee_ids: ['usr_0'], remove_assignee_ids: ['usr_a'] },
    project,
  )
  assert.deepEqual(next.assignee_ids, ['usr_0'])
  assert.ok(!('add_assignee_ids' in next))
  assert.equal(applyPatch(task, { due_date: '2026-03-13' }, project).due_at, null)
  assert.equal(applyPatch(task, { due_date: null }, project).due_at, null)
  const canceled = applyPatch({ ...task, completed_at: 'x' }, { status: 'no' }, project)
  assert.deepEqual([canceled.completed_at, canceled.canceled_at === null], [null, false])
})

test('the inverse of a patch restores the previous fields', () => {
  assert.deepEqual(invertPatch({ title: 'B', add_tag_ids: ['tag_1'] }, task), {
    title: 'A',
    remove_tag_ids: ['tag_1'],
  })
  assert.deepEqual(invertPatch({ due_date: null, start_date: null }, task), {
    due_date: task.due_date,
    due_at: task.due_at,
    start_date: task.start_date,
  })
  assert.deepEqual(invertPatch({ project_id: 'prj_2' }, task), { project_id: task.project_id })
  assert.deepEqual(getPatchedFields({ before_id: 'tsk_2' }), [])
})

const custom = createTaskRecord({
  assignee_ids: ['usr_1'],
  due_date: '2026-03-12',
  custom_fields: { budget: 5, place: 'here' },
})

test('a custom_fields patch merges the keys that it names, and its inverse restores them', () => {
  const patch = { custom_fields: { budget: 7, colour: 'red' } }
  const after = applyPatch(custom, patch, undefined)
  assert.deepEqual(after.custom_fields, { budget: 7, place: 'here', colour: 'red' })
  const inverse = invertPatch(patch, custom)
  assert.deepEqual(inverse, { custom_fields: { budget: 5, colour: null } })
  assert.deepEqual(applyPatch(after, inverse, undefined).custom_fields, custom.custom_fields)
})

test('the inverse of adding to a set removes what was added, and nothing else', () => {
  const patch = { add_assignee_ids: ['usr_2'], remove_assignee_ids: ['usr_1'] }
  assert.deepEqual(getPatchedFields(patch), ['assignee_ids'])
  assert.deepEqual(applyPatch(custom, patch, undefined).assignee_ids, ['usr_2'])
  const inverse = invertPatch(patch, custom)
  assert.deepEqual(inverse, { add_assignee_ids: ['usr_1'], remove_assignee_ids: ['usr_2'] })
  const theirs = { ...custom, assignee_ids: ['usr_2', 'usr_3'] }
  assert.deepEqual(applyPatch(theirs, inverse, undefined).assignee_ids, ['usr_1', 'usr_3'])
  assert.deepEqual(invertPatch({ add_assignee_ids: ['usr_1'] }, custom), {}, 'it had no effect')
})

test('reports a conflict only if both sides set the same field or key to different values', () => {
  const findConflicts = (patch: TaskPatch, theirs: Partial<Task>) =>
    findConflictingFields({ kind: 'patch', patch, from: custom }, { ...custom, ...theirs })
  assert.deepEqual(findConflicts({ title: 'Mine' }, { title: 'Theirs' }), ['title'])
  assert.deepEqual(findConflicts({ title: 'Mine' }, { title: 'Mine' }), [])
  assert.deepEqual(findConflicts({ title: 'Mine' }, { status: 'done' }), [])
  const budget = { custom_fields: { budget: 7 } }
  const other = { custom_fields: { budget: 5, place: 'there' } }
  assert.deepEqual(findConflicts(budget, other), [])
  const same = { custom_fields: { budget: 6, place: 'here' } }
  assert.deepEqual(findConflicts(budget, same), ['custom_fields'])
})

const created = { tempId: 'new-1', id: 'tsk_one' }
const getRealId = (id: string) => (id === created.tempId ? created.id : id)

test('a move names a created task by its real id', () => {
  assert.deepEqual(resolvePatchIds({ before_id: 'new-1', status: 'todo' }, getRealId), {
    before_id: 'tsk_one',
    status: 'todo',
  })
  assert.deepEqual(resolvePatchIds({ after_id: 'new-1', parent_id: null }, getRealId), {
    after_id: 'tsk_one',
    parent_id: null,
  })
  assert.deepEqual(resolvePatchIds({ parent_id: 'new-1' }, getRealId), { parent_id: 'tsk_one' })
})

test('a mutation that names another task stays as it is', () => {
  const patch = { before_id: 'new-2', parent_id: 'tsk_two' }
  assert.equal(omitUnchanged(resolvePatchIds(patch, getRealId), patch), undefined)
  assert.equal(resolveParentId(patch, created), patch)
  assert.deepEqual(resolveParentId({ parent_id: 'new-1' }, created), { parent_id: 'tsk_one' })
})
