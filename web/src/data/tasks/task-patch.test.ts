import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '#resources/projects/contract.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import {
  applyChanges,
  applyPatch,
  getPatchedFields,
  invertPatch,
  type TaskChange,
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
  const moveBack = invertPatch({ project_id: 'prj_2' }, task)
  assert.deepEqual(moveBack, { project_id: task.project_id, undo_move: true })
  const recurring = { ...task, recurrence: { rrule: 'FREQ=DAILY', basis: 'completion' as const } }
  const reopened = invertPatch({ status: 'done' }, recurring)
  assert.deepEqual(reopened, { status: task.status, undo_completion: true })
  assert.deepEqual(getPatchedFields(moveBack), ['project_id'])
  assert.deepEqual(getPatchedFields({ before_id: 'tsk_2' }), [])
})
