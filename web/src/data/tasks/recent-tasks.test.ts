import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { getRecentTasks, recordOpenedTask } from './recent-tasks.ts'
import { setTaskRecords, showRecords } from './task-store.ts'

test('lists the last eight opened tasks once each, latest first', () => {
  const ids = Array.from({ length: 10 }, (_, at) => `tsk_recent_${at}`)
  setTaskRecords((id) =>
    ids.includes(id)
      ? createTaskRecord({ id, number: 900 + ids.indexOf(id), short_id: `REC-${ids.indexOf(id)}` })
      : undefined,
  )
  showRecords(ids)
  for (const id of ids) recordOpenedTask(id)
  recordOpenedTask('tsk_recent_5')
  recordOpenedTask('tsk_not_loaded')
  const numbers = getRecentTasks().map(({ number }) => number - 900)
  assert.deepEqual(numbers, [5, 9, 8, 7, 6, 4, 3])
})
