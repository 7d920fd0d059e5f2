import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAlterOverdue, type OverdueFields } from './recount-overdue.ts'

const LATE: OverdueFields = {
  assignee_ids: ['usr_1'],
  due_date: '2026-11-20',
  status_category: 'started',
}
const alters = (
  before: Partial<OverdueFields> | 'new' | undefined,
  task: Partial<OverdueFields> | undefined,
) =>
  mayAlterOverdue(
    before === 'new' ? before : before && { ...LATE, ...before },
    task && { ...LATE, ...task },
    'usr_1',
    '2026-11-26',
  )

test('the number of overdue tasks may change with who has a task, when it is due and its end', () => {
  assert.equal(alters({}, { status_category: 'completed' }), true)
  assert.equal(alters({}, { assignee_ids: ['usr_2'] }), true)
  assert.equal(alters({}, { due_date: '2026-11-26' }), true)
  assert.equal(alters({}, { due_date: null }), true)
  assert.equal(alters({}, undefined), true)
  assert.equal(alters({}, { status_category: 'unstarted' }), false)
  assert.equal(alters({ assignee_ids: ['usr_2'] }, undefined), false)
})

test('a new task counts if it is overdue already', () => {
  assert.equal(alters('new', {}), true)
  assert.equal(alters('new', { due_date: '2026-11-26' }), false)
  assert.equal(alters('new', { assignee_ids: ['usr_2'] }), false)
})

test('a task that the page did not know may have been overdue', () => {
  assert.equal(alters(undefined, { status_category: 'completed' }), true)
  assert.equal(alters(undefined, { due_date: '2026-12-24' }), true)
  assert.equal(alters(undefined, undefined), true)
  assert.equal(alters(undefined, { assignee_ids: ['usr_2'] }), false)
})
