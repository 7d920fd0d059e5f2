import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { getRecentTasks, recordOpenedTask } from './recent-tasks.ts'
import { putPlaceholders } from './task-store.ts'

test('lists the last eight opened tasks once each, latest first', () => {
  const ids = Array.from({ length: 10 }, (_, at) => `tsk_recent_${at}`)
  putPlaceholders(
    ids.map((id, at) => createTaskRecord({ id, number: 900 + at, short_id: `REC-${at}` })),
  )
  for (const id of ids) recordOpenedTask(id)
  recordOpenedTask('tsk_recent_5')
  recordOpenedTask('tsk_not_loaded')
  const numbers = getRecentTasks().map(({ number }) => number - 900)
  assert.deepEqual(numbers, [5, 9, 8, 7, 6, 4, 3])
})
