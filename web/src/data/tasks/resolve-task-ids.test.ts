import assert from 'node:assert/strict'
import { test } from 'node:test'
import { omitUnchanged, resolveParentId, resolvePatchIds } from './resolve-task-ids.ts'

const created = { tempId: 'new-1', id: 'tsk_one' }
const getRealId = (id: string) => (id === created.tempId ? created.id : id)

test('a move names a created task by its real id', () => {
  assert.deepEqual(resolvePatchIds({ before_id: 'new-1', status: 'todo' }, getRealId), {
    before_id: 'tsk_one',
    status: 'todo',
  })
  assert.deepEqual(resolvePatchIds({ after_id: 'new-1', parent_id: null }, getRealId), {
    after_id: 'tsk_one',
    parent_id: null,
  })
  assert.deepEqual(resolvePatchIds({ parent_id: 'new-1' }, getRealId), { parent_id: 'tsk_one' })
})

test('a mutation that names another task stays as it is', () => {
  const patch = { before_id: 'new-2', parent_id: 'tsk_two' }
  assert.equal(omitUnchanged(resolvePatchIds(patch, getRealId), patch), undefined)
  assert.equal(resolveParentId(patch, created), patch)
  assert.deepEqual(resolveParentId({ parent_id: 'new-1' }, created), { parent_id: 'tsk_one' })
})
