import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '../../data/tasks/task-patch.ts'
import { setViewer } from '../../lib/locale/viewer.ts'
import { CrossProjectSelection } from './cross-project-selection.ts'
import { getWeekWorkload, groupByMyWorkSection } from './my-work-sections.ts'
import { isTaskOfTab, keepEarlierIds } from './tab-tasks.ts'
import { moveBefore, sortByOwnOrder } from './today-order.ts'

setViewer({ zone: 'America/Los_Angeles' })

const task = (number: number, fields: Partial<Task>) =>
  ({
    number,
    priority: 'none',
    due_date: null,
    due_at: null,
    estimate_seconds: null,
    time_spent_seconds: 0,
    completed_at: null,
    ...fields,
  }) as Task

test('groups my work by due date: overdue, today, within a week, later, none', () => {
  const due = ['2026-03-11', '2026-03-12', '2026-03-19', '2026-03-20', null]
  const tasks = due.map((due_date, at) => task(at, { due_date }))
  const sections = groupByMyWorkSection(tasks, '2026-03-12')
  assert.deepEqual(
    [...sections].map(([name, some]) => [name, some.map(({ number }) => number)]),
    [
      ['overdue', [0]],
      ['today', [1]],
      ['soon', [2]],
      ['later', [3]],
      ['none', [4]],
    ],
  )
})

test('sorts a section by due date, then by priority', () => {
  const tasks = [
    task(1, { due_date: '2026-03-15', priority: 'low' }),
    task(2, { due_date: '2026-03-15', priority: 'urgent' }),
    task(3, { due_date: '2026-03-14' }),
  ]
  const numbers = groupByMyWorkSection(tasks, '2026-03-12')
    .get('soon')
    ?.map(({ number }) => number)
  assert.deepEqual(numbers, [3, 2, 1])
})

test('sums the remaining estimates by due day and counts overdue tasks today', () => {
  const hours = (estimate: number, spent = 0) => ({
    estimate_seconds: estimate * 3600,
    time_spent_seconds: spent * 3600,
  })
  const tasks = [
    task(1, { due_date: '2026-03-01', ...hours(2) }),
    task(2, { due_date: '2026-03-12', ...hours(3, 1) }),
    task(3, { due_date: '2026-03-14', ...hours(1, 5) }),
    task(4, { due_date: '2026-03-15', ...hours(1), completed_at: '2026-03-12T08:00:00.000Z' }),
  ]
  const load = getWeekWorkload(tasks, '2026-03-12').map(({ seconds }) => seconds / 3600)
  assert.deepEqual(load, [4, 0, 0, 0, 0, 0, 0])
})

test('places a due time on its day in the viewer’s time zone', () => {
  // The workspace is in Zurich: 08:30 and 09:30 on 13 March, before and after midnight of the viewer.
  const tasks = [
    task(1, { due_date: '2026-03-13', due_at: '2026-03-13T07:30:00.000Z', priority: 'urgent' }),
    task(2, { due_date: '2026-03-13', due_at: '2026-03-13T06:30:00.000Z', estimate_seconds: 3600 }),
    task(3, { due_date: '2026-03-12', estimate_seconds: 3600 }),
  ]
  const numbersIn = (today: string) =>
    [...groupByMyWorkSection(tasks, today)].flatMap(([name, some]) =>
      some.length > 0 ? [[name, some.map(({ number }) => number)]] : [],
    )
  assert.deepEqual(numbersIn('2026-03-12'), [
    ['today', [2, 3]],
    ['soon', [1]],
  ])
  assert.deepEqual(numbersIn('2026-03-10'), [['soon', [2, 3, 1]]])
  const [workloadToday, tomorrow] = getWeekWorkload(tasks, '2026-03-12')
  assert.deepEqual([workloadToday?.seconds, tomorrow?.seconds], [7200, 0])
})

test('sorts by the own order, and leaves what has no place in it at the end as it was', () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  const ids = sortByOwnOrder(all, ['gone', 'c', 'a']).map(({ id }) => id)
  assert.deepEqual(ids, ['c', 'a', 'b', 'd'])
})

test('moves one before another or to the end', () => {
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'c', 'a'), ['c', 'a', 'b'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'a', 'c'), ['b', 'a', 'c'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'a', undefined), ['b', 'c', 'a'])
  assert.deepEqual(moveBefore(['a', 'b', 'c'], 'b', 'b'), ['a', 'b', 'c'])
})

test('keeps the tasks of an earlier load at their places among the loaded ones', () => {
  assert.deepEqual(keepEarlierIds(['a', 'b', 'c'], ['a', 'c', 'd']), ['a', 'b', 'c', 'd'])
  assert.deepEqual(keepEarlierIds(['a', 'b', 'c'], ['c', 'a']), ['c', 'b', 'a'])
  assert.deepEqual(keepEarlierIds([], ['a']), ['a'])
})

test('keeps what it has kept once, as the same array', () => {
  for (const loaded of [['x', 'c'], ['d', 'c', 'a'], [], ['a', 'b', 'c', 'd']]) {
    const kept = keepEarlierIds(['a', 'b', 'c', 'd'], loaded)
    assert.equal(keepEarlierIds(kept, loaded), kept)
  }
})

test('decides by its people alone whether a task belongs to a tab', () => {
  const task = { assignee_ids: ['usr_a', 'usr_b'], created_by_id: 'usr_c' }
  const tabs = ['mine', 'created', 'blocked', 'done'] as const
  const listTabsOf = (userId: string) => tabs.filter((tab) => isTaskOfTab(task, tab, userId))
  assert.deepEqual(listTabsOf('usr_b'), ['mine', 'blocked', 'done'])
  assert.deepEqual(listTabsOf('usr_c'), ['created'])
})

const ORDER = ['a', 'b', 'c', 'd', 'e', 'f']

test('a range begins where the cursor is, once the task selected last is deselected', () => {
  const selection = new CrossProjectSelection()
  const selected = () => [...selection.ids.get()]
  selection.toggle('a')
  selection.extend(ORDER, 'a', 'b')
  selection.extend(ORDER, 'b', 'c')
  assert.deepEqual(selected(), ['a', 'b', 'c'])
  selection.set([])
  selection.extend(ORDER, 'e', 'f')
  assert.deepEqual(selected(), ['e', 'f'])
})
