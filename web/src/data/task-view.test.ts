import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '#resources/projects/contract.ts'
import { type Change, fieldsOf, inverseOf, patched, shown, type Task } from './task-view.ts'

const status = (key: string, category: string, position: number) => ({ key, category, position })
const project = {
  statuses: [
    status('todo', 'unstarted', 0),
    status('done', 'completed', 1),
    status('no', 'canceled', 2),
  ],
} as unknown as Project

const task = {
  id: 'tsk_1',
  title: 'A',
  status: 'todo',
  status_category: 'unstarted',
  completed_at: null,
  canceled_at: null,
  assignee_ids: ['usr_a'],
  tag_ids: [],
  due_date: '2026-03-12',
  due_at: '2026-03-12T10:00:00.000Z',
} as unknown as Task

const change = (kind: Change['kind'], patch: Change['patch']): Change => ({
  ...{ key: 'k', kind, patch, from: task },
})

test('changes that wait lie on top of each other, and a deletion hides the task', () => {
  const changes = [change('patch', { title: 'B' }), change('complete', { status: 'done' })]
  const view = shown(task, changes, project)
  assert.equal(view?.title, 'B')
  assert.equal(view?.status_category, 'completed')
  assert.match(view?.completed_at ?? '', /^\d{4}-/)
  assert.equal(shown(task, [...changes, change('delete', {})], project), undefined)
})

test('a patch shows what the server will make of it', () => {
  const next = patched(
    task,
    { add_assignee_ids: ['usr_0'], remove_assignee_ids: ['usr_a'] },
    project,
  )
  assert.deepEqual(next.assignee_ids, ['usr_0'])
  assert.ok(!('add_assignee_ids' in next))
  assert.equal(patched(task, { due_date: '2026-03-13' }, project).due_at, null)
  assert.equal(patched(task, { due_date: null }, project).due_at, null)
  const canceled = patched({ ...task, completed_at: 'x' }, { status: 'no' }, project)
  assert.deepEqual([canceled.completed_at, canceled.canceled_at === null], [null, false])
})

test('what takes a patch back names the fields as they were', () => {
  assert.deepEqual(inverseOf({ title: 'B', add_tag_ids: ['tag_1'] }, task), {
    title: 'A',
    tag_ids: [],
  })
  assert.deepEqual(fieldsOf({ before_id: 'tsk_2' }), [])
})
