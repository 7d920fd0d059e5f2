import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimeEntry } from './time-entries.ts'
import { type CellEntry, planCellChanges, sumSeconds } from './timesheet-changes.ts'

const HOUR = 3_600

const recordOf = (id: string, hours: number, started_at: string | null = null): TimeEntry => ({
  id,
  task_id: 'tsk_1',
  project_id: 'prj_1',
  user_id: 'usr_1',
  started_at,
  ended_at: started_at,
  duration_seconds: hours * HOUR,
  is_running: false,
  spent_on: '2026-11-30',
  note: null,
  billable: false,
  source: 'web',
  created_by_id: 'usr_1',
  created_at: '2026-11-30T08:00:00.000Z',
  updated_at: '2026-11-30T08:00:00.000Z',
})

const cellOf = (hours: number, of: CellEntry['of']): CellEntry => ({
  task_id: 'tsk_1',
  spent_on: '2026-11-30',
  duration_seconds: hours * HOUR,
  of,
})
const saved = (id: string, hours: number, started_at: string | null = null) =>
  cellOf(hours, { record: recordOf(id, hours, started_at) })
const unsent = (key: string, hours: number) => cellOf(hours, { key })

/** The changes as short texts: kind, id or key, and hours. */
const plan = (entries: readonly CellEntry[], hours: number) =>
  planCellChanges(entries, hours * HOUR).map((change) => {
    const id = 'record' in change ? change.record.id : 'key' in change ? change.key : 'new'
    return `${change.kind} ${id}${'seconds' in change ? ` ${change.seconds / HOUR}` : ''}`
  })

test('logs, changes and deletes the entry of a timesheet cell', () => {
  assert.deepEqual(plan([], 0), [])
  assert.deepEqual(plan([], 1.5), ['log new 1.5'])
  assert.deepEqual(plan([saved('a', 1)], 1), [])
  assert.deepEqual(plan([saved('a', 1)], 3), ['edit a 3'])
  assert.deepEqual(plan([saved('a', 3)], 1), ['edit a 1'])
  assert.deepEqual(plan([saved('a', 3)], 0), ['delete a'])
})

test('logs more time beside several entries, and takes less from the newest', () => {
  const entries = [saved('a', 1), saved('b', 2), saved('c', 0.5)]
  assert.equal(sumSeconds(entries), 3.5 * HOUR)
  assert.deepEqual(plan(entries, 4), ['log new 0.5'])
  assert.deepEqual(plan(entries, 3), ['delete c'])
  assert.deepEqual(plan(entries, 2), ['delete c', 'edit b 1'])
  assert.deepEqual(plan(entries, 0), ['delete c', 'delete b', 'delete a'])
})

test('does not move the end of an entry with times of day into the future', () => {
  const timer = [saved('a', 1, '2026-11-30T08:00:00.000Z')]
  assert.deepEqual(plan(timer, 2), ['log new 1'])
  assert.deepEqual(plan(timer, 0.5), ['edit a 0.5'])
})

test('replaces an entry that was not sent yet', () => {
  assert.deepEqual(plan([unsent('k', 1)], 2), ['cancel k', 'log new 2'])
  assert.deepEqual(plan([unsent('k', 2)], 1), ['cancel k', 'log new 1'])
  assert.deepEqual(plan([unsent('k', 2)], 0), ['cancel k'])
  assert.deepEqual(plan([saved('a', 1), unsent('k', 2)], 0.5), ['cancel k', 'edit a 0.5'])
})
