import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../../../lib/locale/viewer.ts'
import { moveDueDate } from './move-due-date.ts'

setViewer({ zone: 'America/Los_Angeles' })
const WORKSPACE_ZONE = 'Europe/Zurich'

test('moving a due date over a clock change keeps the time of day of the workspace', () => {
  // 00:30 in Zurich on both days: the clocks of Los Angeles change on 8 March, these on 29 March.
  const task = { due_at: '2026-03-04T23:30:00.000Z' }
  assert.deepEqual(moveDueDate(task, '2026-03-12', WORKSPACE_ZONE), {
    due_date: '2026-03-12',
    due_at: '2026-03-11T23:30:00.000Z',
  })
  assert.deepEqual(moveDueDate(task, '2026-04-02', WORKSPACE_ZONE), {
    due_date: '2026-04-02',
    due_at: '2026-04-01T22:30:00.000Z',
  })
  assert.deepEqual(moveDueDate({ due_at: null }, '2026-04-02', WORKSPACE_ZONE), {
    due_date: '2026-04-02',
  })
  assert.deepEqual(moveDueDate(task, null, WORKSPACE_ZONE), { due_date: null })
})

test('a time of day that a clock change skips at midnight is sent with the day that it moves to', () => {
  // In Nuuk, 28 March 2026 ends at 23:00.
  assert.deepEqual(
    moveDueDate({ due_at: '2026-03-28T01:30:00.000Z' }, '2026-03-28', 'America/Nuuk'),
    { due_date: '2026-03-29', due_at: '2026-03-29T01:30:00.000Z' },
  )
})
