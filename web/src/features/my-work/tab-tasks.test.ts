import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTaskOfTab, keepEarlierIds } from './tab-tasks.ts'

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
