import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { putTasks } from '../../../data/tasks/task-store.ts'
import { groupByDueDay } from '../calendar/calendar-days.ts'
import { createTimeScale } from '../timeline/time-scale.ts'
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

const index = {
  total: 3,
  open: 3,
  overdue: 0,
  estimate_seconds: 0,
  time_spent_seconds: 0,
  parents: {},
  groups: [
    { key: 'a', count: 2, estimate_seconds: 0, time_spent_seconds: 0, numbers: [3, 1] },
    { key: 'b', count: 2, estimate_seconds: 0, time_spent_seconds: 0, numbers: [1, 2] },
  ],
  // 2026-03-01 to 2026-03-12, from 2026-03-10 on, and an implausible date.
  spans: [
    [1, 20_513, 20_524],
    [2, 20_522, null],
    [3, null, 2_932_896],
  ] as const,
  blocks: [[1, 2]] as const,
}

test('a blocker that ends after the blocked task starts is late', () => {
  const spans = new TaskSpans('prj_x', index)
  assert.deepEqual(spans.get(1), span('2026-03-01', '2026-03-12'))
  assert.deepEqual(spans.lateBlockersOf(2), [1])
  assert.deepEqual(spans.lateBlockersOf(1), [])
  const fine = new TaskSpans('prj_x', { ...index, blocks: [[2, 1]] })
  assert.deepEqual(fine.lateBlockersOf(1), [2])
  assert.deepEqual(new TaskSpans('prj_x', { ...index, finished: [1] }).lateBlockersOf(2), [])
  assert.deepEqual(
    new TaskSpans('prj_x', {
      spans: [
        [1, 1, 5],
        [2, 5, 9],
      ],
      blocks: [[1, 2]],
    }).lateBlockersOf(2),
    [],
  )
  assert.equal(formatSpan(span(null, null)), 'no dates')
})

test('a loaded task has the same span each time, until its dates change', () => {
  const task = createTaskRecord({ project_id: 'prj_spans', number: 3, due_date: '2026-03-05' })
  putTasks([task])
  const spans = new TaskSpans('prj_spans', index)
  const before = spans.get(3)
  assert.deepEqual(before, span(null, '2026-03-05'))
  assert.equal(spans.get(3), before)
  putTasks([{ ...task, version: 2, due_date: '2026-03-06' }])
  assert.deepEqual(spans.get(3), span(null, '2026-03-06'))
})

test('the scale contains the dates of the index before the task is read again', () => {
  putTasks([
    createTaskRecord({
      id: 'tsk_scale',
      project_id: 'prj_scale',
      number: 1,
      due_date: '2026-03-05',
    }),
  ])
  const start = Date.parse('2025-09-01') / 86_400_000
  const spans = new TaskSpans('prj_scale', { spans: [[1, start, start + 3]] })
  const scale = createTimeScale('day', spans, [1], '2026-03-05')
  assert.ok(scale.from <= '2025-09-01', scale.from)
})

test('groups each task once by due day, in the order of the view', () => {
  const { days, without } = groupByDueDay(index, new TaskSpans('prj_x', index))
  assert.deepEqual(
    [...days],
    [
      ['9999-12-31', [3]],
      ['2026-03-12', [1]],
    ],
  )
  assert.deepEqual(without, [2])
})

test('a far date does not stretch the time scale and is drawn at its edge', () => {
  const spans = new TaskSpans('prj_x', index)
  const scale = createTimeScale('day', spans, [1, 2, 3], '2026-03-05')
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
