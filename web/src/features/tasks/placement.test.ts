import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectIndex } from '../../data/project-index.ts'
import { arrange, type Local, type Placeable, place } from './placement.ts'

interface One extends Placeable {
  status: string
}
const one = (number: number, status: string, estimate_seconds = 60): One => ({
  ...{ number, status, estimate_seconds, time_spent_seconds: 0, due_date: null },
  status_category: status === 'done' ? 'completed' : 'started',
})
const group = (key: string, numbers: number[]) => ({
  ...{ key, numbers, count: numbers.length },
  ...{ estimate_seconds: numbers.length * 60, time_spent_seconds: 0 },
})
const index: ProjectIndex = {
  ...{ total: 5, open: 3, overdue: 0, estimate_seconds: 300, time_spent_seconds: 0 },
  groups: [group('todo', [1, 2, 3]), group('done', [4, 9])],
  parents: { 2: 1 },
}
const rules = {
  keysOf: ({ status }: One) => [status],
  compare: (a: number, b: number) => a - b,
  today: '2026-11-20',
}
const placed = (...locals: Local<One>[]) => {
  const { groups, total } = place(index, locals, rules)
  return { total, groups: groups.map(({ numbers, count }) => [count, ...numbers]) }
}

test('a changed task is in its new group at once, where the order of the list has it', () => {
  const moved = { number: 2, was: one(2, 'todo'), now: one(2, 'done') }
  assert.deepEqual(placed(moved), {
    total: 5,
    groups: [
      [2, 1, 3],
      [3, 2, 4, 9],
    ],
  })
  const unknown = place(index, [moved], { ...rules, compare: () => undefined })
  assert.deepEqual(unknown.groups[1]?.numbers, [4, 9, 2])
})

test('a new task stands at the end of its group, a deleted one nowhere', () => {
  assert.deepEqual(placed({ number: -1, was: undefined, now: one(-1, 'todo') }), {
    total: 6,
    groups: [
      [4, 1, 2, 3, -1],
      [2, 4, 9],
    ],
  })
  assert.deepEqual(placed({ number: 4, was: one(4, 'done'), now: undefined }), {
    total: 4,
    groups: [
      [3, 1, 2, 3],
      [1, 9],
    ],
  })
})

test('a task that was put beside another stands there, in whatever group that is', () => {
  const anchor = { number: 9, after: false }
  const local = { number: 1, was: one(1, 'todo'), now: one(1, 'done'), anchor }
  assert.deepEqual(placed(local).groups, [
    [2, 2, 3],
    [3, 4, 1, 9],
  ])
})

test('a task that the filter leaves out goes, and sums follow what moves', () => {
  const none = place(index, [{ number: 3, was: one(3, 'todo'), now: one(3, 'todo') }], {
    ...rules,
    keysOf: () => [],
  })
  assert.deepEqual([none.total, none.groups[0]?.count], [4, 2])
  const local = { number: 3, was: one(3, 'todo'), now: one(3, 'done', 600) }
  const sums = place(index, [local], rules).groups.map(({ estimate_seconds }) => estimate_seconds)
  assert.deepEqual(sums, [120, 720])
  const { open, estimate_seconds, total } = place(index, [local], rules)
  assert.deepEqual([total, open, estimate_seconds], [5, 2, 840])
})

test('a group that the index does not have yet is made', () => {
  const { groups } = place(index, [{ number: 3, was: one(3, 'todo'), now: one(3, 'new') }], rules)
  assert.deepEqual([groups[2]?.key, groups[2]?.count, groups[2]?.numbers], ['new', 1, [3]])
})

test('subtasks stand under their parent where both are in a group, and a deleted parent leaves them', () => {
  const depths = arrange([3, 1, 2, 5, 4], { 3: 1, 4: 3, 5: 99 })
  assert.deepEqual(depths, [
    { number: 1, depth: 0 },
    { number: 3, depth: 1 },
    { number: 4, depth: 2 },
    { number: 2, depth: 0 },
    { number: 5, depth: 0 },
  ])
})
