import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleQueryKeys } from './stale-query-keys.ts'

test('a deleted record whose task is unknown makes those of all tasks stale', () => {
  const keysOf = (noun: 'comment' | 'time_entry' | 'attachment', task_id?: string) =>
    staleQueryKeys({ id: 'cmt_1', noun, task_id })
  assert.deepEqual(keysOf('comment'), [['comments'], ['activity'], ['search']])
  assert.deepEqual(keysOf('time_entry'), [['time'], ['timer']])
  assert.deepEqual(keysOf('attachment'), [['attachments'], ['activity']])
  assert.deepEqual(keysOf('comment', 'tsk_1'), [
    ['comments', 'tsk_1'],
    ['activity', 'tsk_1'],
    ['search'],
  ])
})
