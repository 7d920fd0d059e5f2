import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { localChangesSince } from './local-changes.ts'
import { admitMovedTask } from './removed-tasks.ts'
import { getCachedTask, putTasks, removeCachedTask, updatePendingChanges } from './task-store.ts'

const task = createTaskRecord({ id: 'tsk_read_again' })

test('a task that is read again stays the same object unless it has changed', () => {
  putTasks([task])
  const before = getCachedTask(task.id)
  putTasks([structuredClone(task)])
  assert.equal(getCachedTask(task.id), before)
  putTasks([{ ...task, comment_count: 1 }])
  assert.equal(getCachedTask(task.id)?.comment_count, 1)
})

test('a removed task stays away until it is known to have been moved', () => {
  const removed = { ...task, id: 'tsk_removed' }
  const putAfterRemoval = (options: { isMaybeMoved?: boolean }) => {
    putTasks([removed])
    removeCachedTask(removed.id, options)
    putTasks([removed])
    assert.equal(getCachedTask(removed.id), undefined)
    admitMovedTask(removed.id)
    putTasks([removed])
    return getCachedTask(removed.id)
  }
  assert.equal(putAfterRemoval({ isMaybeMoved: true })?.id, removed.id)
  assert.equal(putAfterRemoval({}), undefined)
})

test('a first reply about a task that was removed meanwhile does not bring it back', () => {
  const unknown = { ...task, id: 'tsk_unknown' }
  removeCachedTask(unknown.id, { isMaybeMoved: true })
  putTasks([unknown])
  assert.equal(getCachedTask(unknown.id), undefined)
  admitMovedTask(unknown.id)
  putTasks([unknown])
  assert.equal(getCachedTask(unknown.id)?.id, unknown.id)

  const noticed = { ...task, id: 'tsk_noticed' }
  removeCachedTask(noticed.id, { version: noticed.version + 1 })
  putTasks([noticed])
  assert.equal(getCachedTask(noticed.id), undefined)
  putTasks([{ ...noticed, version: noticed.version + 2 }])
  assert.equal(getCachedTask(noticed.id)?.id, noticed.id)
})

test('forgets old changes of this page that the server has acknowledged', (t) => {
  const clock = t.mock.method(Date, 'now', () => 0)
  const changeTask = (id: string) => {
    putTasks([{ ...task, id }])
    const change = { key: id, kind: 'patch' as const, patch: { title: 'B' }, from: task }
    updatePendingChanges(id, (changes) => [...changes, change])
  }
  const ids = Array.from({ length: 1_000 }, (_, n) => `tsk_changed_${n}`)
  for (const id of ids) {
    changeTask(id)
    if (id !== ids[1]) updatePendingChanges(id, () => [])
  }
  assert.equal(localChangesSince(0, () => false).length, 1_000)
  clock.mock.mockImplementation(() => 3_600_001)
  changeTask('tsk_changed_later')
  assert.deepEqual(
    localChangesSince(0, () => false).map(({ id }) => id),
    [ids[1], 'tsk_changed_later'],
  )
})
