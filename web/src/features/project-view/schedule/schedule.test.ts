import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { setViewer } from '../../../lib/locale/viewer.ts'
import { groupByDueDay } from '../calendar/calendar-days.ts'
import { createTimeScale } from '../timeline/time-scale.ts'
import { moveDueDate } from './move-due-date.ts'
import { shiftSpan } from './shift-span.ts'
import { formatSpan, TaskSpans } from './task-spans.ts'

const span = (start: string | null, due: string | null) => ({ start, due })

test('shifts both ends together, and neither end passes the other', () => {
  const both = { start: 2, due: 2 }
  assert.deepEqual(
    shiftSpan(span('2026-03-30', '2026-03-31'), both),
    span('2026-04-01', '2026-04-02'),
  )
  assert.deepEqual(shiftSpan(span(null, '2026-03-31'), both), span(null, '2026-04-02'))
  assert.deepEqual(shiftSpan(span('2026-03-01', null), both), span('2026-03-03', null))
  assert.deepEqual(
    shiftSpan(span('2026-03-01', '2026-03-03'), { due: -5 }),
    span('2026-03-01', '2026-03-01'),
  )
  assert.deepEqual(
    shiftSpan(span('2026-03-01', '2026-03-03'), { start: 9 }),
    span('2026-03-03', '2026-03-03'),
  )
})

test('shifting a missing end starts from the other end', () => {
  assert.deepEqual(
    shiftSpan(span(null, '2026-03-03'), { start: -1 }),
    span('2026-03-02', '2026-03-03'),
  )
  assert.deepEqual(
    shiftSpan(span('2026-03-03', null), { due: 1 }),
    span('2026-03-03', '2026-03-04'),
  )
})

const list = {
  total: 3,
  open: 3,
  overdue: 0,
  estimate_seconds: 0,
  time_spent_seconds: 0,
  parents: {},
  includes: () => true,
  groups: [
    {
      key: 'a',
      count: 2,
      estimate_seconds: 0,
      remaining_seconds: 0,
      time_spent_seconds: 0,
      ids: ['tsk_3', 'tsk_1'],
    },
    {
      key: 'b',
      count: 2,
      estimate_seconds: 0,
      remaining_seconds: 0,
      time_spent_seconds: 0,
      ids: ['tsk_1', 'tsk_2'],
    },
  ],
}

function spansOf(...tasks: Partial<Task>[]): TaskSpans {
  const records = tasks.map((fields) => createTaskRecord({ id: `tsk_${fields.number}`, ...fields }))
  return new TaskSpans(
    (id) => records.find((task) => task.id === id),
    records.map(({ id }) => id),
  )
}

const first = { number: 1, start_date: '2026-03-01', due_date: '2026-03-12' }
const second = { number: 2, start_date: '2026-03-10' }
const implausible = { number: 3, due_date: '9999-12-31' }

test('a blocker that ends after the blocked task starts is late', () => {
  const waiting = { ...second, blocked_by_ids: ['tsk_1', 'tsk_hidden'] }
  const spans = spansOf(first, waiting)
  assert.deepEqual(spans.get('tsk_1'), span('2026-03-01', '2026-03-12'))
  assert.deepEqual(spans.lateBlockersOf('tsk_2'), ['tsk_1'])
  assert.deepEqual(spans.lateBlockersOf('tsk_1'), [])
  assert.deepEqual(spans.dependenciesOf('tsk_1'), [['tsk_1', 'tsk_2']])
  assert.deepEqual(spans.dependenciesOf('tsk_2'), [['tsk_1', 'tsk_2']])
  const reversed = spansOf({ ...first, blocked_by_ids: ['tsk_2'] }, second)
  assert.deepEqual(reversed.lateBlockersOf('tsk_1'), ['tsk_2'])
  const finished = { ...first, status_category: 'completed' } as const
  assert.deepEqual(spansOf(finished, waiting).lateBlockersOf('tsk_2'), [])
  assert.deepEqual(
    spansOf({ ...first, due_date: '2026-03-10' }, waiting).lateBlockersOf('tsk_2'),
    [],
  )
  assert.equal(formatSpan(span(null, null)), 'no dates')
})

test('a task has the same span each time', () => {
  const spans = spansOf(first)
  assert.equal(spans.get('tsk_1'), spans.get('tsk_1'))
  assert.equal(spansOf({ number: 4 }).get('tsk_4'), undefined)
})

test('groups each task once by due day, in the order of the view', () => {
  const { days, without } = groupByDueDay(list, spansOf(first, second, implausible))
  assert.deepEqual(
    [...days],
    [
      ['9999-12-31', ['tsk_3']],
      ['2026-03-12', ['tsk_1']],
    ],
  )
  assert.deepEqual(without, ['tsk_2'])
})

test('a far date does not stretch the time scale and is drawn at its edge', () => {
  const spans = spansOf(first, second, implausible)
  const scale = createTimeScale('day', spans, ['tsk_1', 'tsk_2', 'tsk_3'], '2026-03-05')
  assert.equal(scale.from, '2026-01-01')
  assert.ok(scale.width < 366 * 36, String(scale.width))
  assert.equal(scale.x('9999-12-31'), scale.width - scale.day)
  assert.equal(scale.dayAt(scale.x('2026-03-12') + 35), '2026-03-12')
  const { coarse, fine } = scale.ticks(0, 31 * 36 - 1)
  assert.deepEqual(
    coarse.map(({ label }) => label),
    ['January 2026'],
  )
  assert.equal(fine.length, 31)
})

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
