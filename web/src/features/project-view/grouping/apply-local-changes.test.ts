import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectIndex } from '../../../data/cache/project-index.ts'
import {
  applyLocalChanges,
  countLoosePlaces,
  isPlaceable,
  type LocalTaskChange,
  nestSubtasks,
  type PlaceableTask,
  type PlacementRules,
} from './apply-local-changes.ts'

interface TestTask extends PlaceableTask {
  status: string
}
const testTask = (number: number, status: string, estimate_seconds = 60): TestTask => ({
  number,
  status,
  estimate_seconds,
  time_spent_seconds: 0,
  due_date: null,
  status_category: status === 'done' ? 'completed' : 'started',
})
const group = (key: string, numbers: number[]) => ({
  key,
  numbers,
  count: numbers.length,
  estimate_seconds: numbers.length * 60,
  time_spent_seconds: 0,
})
const index: ProjectIndex = {
  total: 5,
  open: 3,
  overdue: 0,
  estimate_seconds: 300,
  time_spent_seconds: 0,
  groups: [group('todo', [1, 2, 3]), group('done', [4, 9])],
  parents: { 2: 1 },
}
const rules = {
  keysOf: ({ status }: TestTask) => [status],
  sortValue: ({ number }: TestTask) => number,
  compare: (a: number, b: number) => a - b,
  placesNewGroups: true,
  today: '2026-11-20',
}
const applied = (...locals: LocalTaskChange<TestTask>[]) => {
  const { groups, total } = applyLocalChanges(index, locals, rules)
  return { total, groups: groups.map(({ numbers, count }) => [count, ...numbers]) }
}

test('moves a changed task to its new group at once, in sort order', () => {
  const moved = { number: 2, was: testTask(2, 'todo'), now: testTask(2, 'done') }
  assert.deepEqual(applied(moved), {
    total: 5,
    groups: [
      [2, 1, 3],
      [3, 2, 4, 9],
    ],
  })
  const unknown = applyLocalChanges(index, [moved], { ...rules, compare: () => undefined })
  assert.deepEqual(unknown.groups[1]?.numbers, [4, 9, 2])
})

test('puts a new task at the end of its group and removes a deleted one', () => {
  assert.deepEqual(applied({ number: -1, was: undefined, now: testTask(-1, 'todo') }), {
    total: 6,
    groups: [
      [4, 1, 2, 3, -1],
      [2, 4, 9],
    ],
  })
  assert.deepEqual(applied({ number: 4, was: testTask(4, 'done'), now: undefined }), {
    total: 4,
    groups: [
      [3, 1, 2, 3],
      [1, 9],
    ],
  })
})

test('keeps a task beside the task where the user dropped it', () => {
  const anchor = { number: 9, after: false }
  const local = { number: 1, was: testTask(1, 'todo'), now: testTask(1, 'done'), anchor }
  assert.deepEqual(applied(local).groups, [
    [2, 2, 3],
    [3, 4, 1, 9],
  ])
})

test('removes a task that no longer matches the filter and updates the sums', () => {
  const none = applyLocalChanges(
    index,
    [{ number: 3, was: testTask(3, 'todo'), now: testTask(3, 'todo') }],
    {
      ...rules,
      keysOf: () => [],
    },
  )
  assert.deepEqual([none.total, none.groups[0]?.count], [4, 2])
  const local = { number: 3, was: testTask(3, 'todo'), now: testTask(3, 'done', 600) }
  const sums = applyLocalChanges(index, [local], rules).groups.map(
    ({ estimate_seconds }) => estimate_seconds,
  )
  assert.deepEqual(sums, [120, 720])
  const { open, estimate_seconds, total } = applyLocalChanges(index, [local], rules)
  assert.deepEqual([total, open, estimate_seconds], [5, 2, 840])
})

test('adds a group that the index does not have yet', () => {
  const { groups } = applyLocalChanges(
    index,
    [{ number: 3, was: testTask(3, 'todo'), now: testTask(3, 'new') }],
    rules,
  )
  assert.deepEqual([groups[2]?.key, groups[2]?.count, groups[2]?.numbers], ['new', 1, [3]])
})

const settle = (
  local: LocalTaskChange<TestTask>,
  compare: PlacementRules<TestTask>['compare'] = rules.compare,
) => {
  const locals = [{ ...local, isSettled: true }]
  const loaded = { ...rules, compare }
  const after = applyLocalChanges(index, locals, loaded)
  return {
    groups: after.groups.map(({ numbers }) => numbers.join()),
    isPlaceable: isPlaceable(index, locals, loaded),
    loose: countLoosePlaces(after, locals, loaded),
  }
}

test('sorts a task that the server has changed among the loaded ones', () => {
  const moved = { number: 2, was: testTask(2, 'todo'), now: testTask(2, 'done') }
  const exact = { isPlaceable: true, loose: 0 }
  assert.deepEqual(settle(moved), { groups: ['1,3', '2,4,9'], ...exact })
  const created = { number: 5, was: undefined, now: testTask(5, 'done') }
  assert.deepEqual(settle(created), { groups: ['1,2,3', '4,5,9'], ...exact })
  const deleted = { number: 3, was: testTask(3, 'todo'), now: undefined }
  assert.deepEqual(settle(deleted), { groups: ['1,2', '4,9'], ...exact })
})

test('counts the tasks whose place among rows that are not loaded is a guess', () => {
  const moved = { number: 2, was: testTask(2, 'todo'), now: testTask(2, 'done') }
  const created = { number: 5, was: undefined, now: testTask(5, 'done') }
  const compareTo = (last: number) => (a: number, b: number) =>
    Math.max(a, b) > last ? undefined : a - b
  assert.equal(settle(moved, compareTo(4)).loose, 0)
  const guess = settle(created, compareTo(5))
  assert.deepEqual(guess, { groups: ['1,2,3', '4,9,5'], isPlaceable: true, loose: 1 })
  assert.deepEqual(settle(created, compareTo(9)).groups, ['1,2,3', '4,5,9'])
})

test('cannot count a task that the page did not know as it was', () => {
  const { isPlaceable } = settle({ number: 3, was: undefined, now: testTask(3, 'todo') })
  assert.equal(isPlaceable, false)
})

test('knows that a group which the index lacks may belong to another place', () => {
  const locals = [
    { number: 3, was: testTask(3, 'todo'), now: testTask(3, 'new'), isSettled: true },
  ] as const
  assert.equal(isPlaceable(index, locals, rules), true)
  assert.equal(isPlaceable(index, locals, { ...rules, placesNewGroups: false }), false)
})

test('nests subtasks under a parent in the same group, and keeps those without one at the top level', () => {
  const depths = nestSubtasks([3, 1, 2, 5, 4], { 3: 1, 4: 3, 5: 99 })
  assert.deepEqual(depths, [
    { number: 1, depth: 0 },
    { number: 3, depth: 1 },
    { number: 4, depth: 2 },
    { number: 2, depth: 0 },
    { number: 5, depth: 0 },
  ])
})
