import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { parseFilter } from '../filter/view-filter.ts'
import { createRecentlyCompletedTest } from './board-columns.ts'
import { createLaneOf } from './board-lanes.ts'

test('a task is in the lane of its priority, or of all its assignees together', () => {
  const tasks = [
    createTaskRecord({ assignee_ids: [], priority: 'none' }),
    createTaskRecord({ assignee_ids: ['usr_b', 'usr_a'], priority: 'high' }),
    createTaskRecord({ assignee_ids: ['usr_a', 'usr_b'], priority: 'none' }),
  ]
  const lanesBy = (lanes: 'assignee' | 'priority') =>
    ['0', '1', '2', '3'].map(createLaneOf(lanes, (id) => tasks[Number(id)]))
  assert.deepEqual(lanesBy('assignee'), ['none', 'usr_a,usr_b', 'usr_a,usr_b', 'none'])
  assert.deepEqual(lanesBy('priority'), ['none', 'high', 'none', 'none'])
})

test('a board by status shows completed tasks of 14 days, unless its filter names statuses', () => {
  const meaning = {
    ...{ statuses: [], members: [], tags: [], projects: [], me: 'usr_1', today: '2026-11-20' },
    now: () => Date.parse('2026-11-20T12:34:56Z'),
  }
  const completed = ['2026-11-06T12:34:56.000Z', '2026-11-06T12:34:55.999Z', null]
  const recentIn = (group: 'status' | 'priority', typed: string) => {
    const view = { group, filter: parseFilter(typed) }
    const isRecent = createRecentlyCompletedTest(view, meaning, (id) =>
      createTaskRecord({ completed_at: completed[Number(id)] ?? null }),
    )
    return isRecent && ['0', '1', '2'].map(isRecent)
  }
  assert.deepEqual(recentIn('status', 'tag:none'), [true, false, false])
  assert.equal(recentIn('status', 'status:closed'), undefined)
  assert.equal(recentIn('priority', ''), undefined)
})
