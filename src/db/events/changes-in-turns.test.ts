import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PendingChange, toChanges } from '#core/changes/pending-change.ts'
import { toChangesInTurns } from './changes-in-turns.ts'

test('converts the changes of many operations in several turns', async () => {
  const noted = Array.from({ length: 10_000 }, (_, at): PendingChange => {
    const operation_id = `opr_${Math.floor(at / 300)}`
    return { noun: 'task', id: `tsk_${at}`, op: 'update', operation_id }
  })
  let turns = 0
  let isDone = false
  const countTurns = () => {
    turns += 1
    if (!isDone) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const changes = await toChangesInTurns(noted, 'usr_1')
  isDone = true
  assert.ok(turns > 5, `${turns} turns`)
  assert.deepEqual(changes, toChanges(noted, 'usr_1'))
})
