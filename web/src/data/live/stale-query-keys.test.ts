import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleQueryKeys } from './stale-query-keys.ts'

const DELETION = { id: 'cmt_1', op: 'delete', operation_id: '', actor_id: null } as const

test('a deleted record whose task is unknown makes those of all tasks stale', () => {
  const keysOf = (noun: 'comment' | 'time_entry' | 'attachment', task_id?: string) =>
    staleQueryKeys({ ...DELETION, noun, ...(task_id !== undefined && { task_id }) })
  assert.deepEqual(keysOf('comment'), [['comments'], ['activity'], ['search']])
  assert.deepEqual(keysOf('time_entry'), [['time'], ['timer']])
  assert.deepEqual(keysOf('attachment'), [['attachments'], ['activity']])
  assert.deepEqual(keysOf('comment', 'tsk_1'), [
    ['comments', 'tsk_1'],
    ['activity', 'tsk_1'],
    ['search'],
  ])
})
