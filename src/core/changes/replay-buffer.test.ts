import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import type { UnnumberedChange } from './pending-change.ts'
import { ReplayBuffer } from './replay-buffer.ts'

const changesOf = (...ids: string[]): UnnumberedChange[] =>
  ids.map((id) => ({
    notice: { noun: 'task', id, op: 'update', operation_id: 'opr_1', actor_id: null },
    only_for: undefined,
  }))

function deliver(buffer: ReplayBuffer, first: number, ...ids: string[]): string[] {
  buffer.incoming.push({ first, made: changesOf(...ids) })
  return buffer.flush().map(({ notice, id }) => `${id} ${notice.id}`)
}

test('holds early batches until the gap is filled and drops duplicates', () => {
  const buffer = new ReplayBuffer(true)
  buffer.hasGap({ seq: 0, count: 3, isFinal: false })
  assert.deepEqual(deliver(buffer, 6, 'c'), [])
  assert.deepEqual(deliver(buffer, 7, 'd'), [])
  assert.deepEqual(deliver(buffer, 3, 'old'), [])
  assert.deepEqual(deliver(buffer, 4, 'a', 'b'), ['all.4 a', 'all.5 b', 'all.6 c', 'all.7 d'])
  assert.deepEqual(deliver(buffer, 6, 'c'), [])
})

test('holds all changes until the count is known', () => {
  const buffer = new ReplayBuffer(true)
  buffer.pendingCounts += 1
  assert.deepEqual(deliver(buffer, 5, 'known'), [])
  assert.deepEqual(deliver(buffer, 6, 'new'), [])
  buffer.pendingCounts -= 1
  assert.equal(buffer.hasGap({ seq: 0, count: 5, isFinal: false }), false)
  assert.deepEqual(
    buffer.flush().map(({ id }) => id),
    ['all.6'],
  )
  const unasked = new ReplayBuffer(true)
  assert.deepEqual(deliver(unasked, 9, 'first'), ['all.9 first'])
})

test('detects lost changes by the count, and a database with a lower count', (t) => {
  const time = stopPerformanceClock(t)
  const buffer = new ReplayBuffer(true)
  const counts = (count: number, isSure = false) =>
    buffer.hasGap({ seq: buffer.seq, count, isFinal: isSure })
  counts(5)
  assert.equal(counts(6), false)
  assert.equal(counts(6), false, 'it may still arrive')
  assert.equal(counts(6, true), true, 'this process was not listening')
  buffer.restart(6)
  assert.deepEqual(deliver(buffer, 8, 'late'), [])
  time.pass(450)
  assert.equal(counts(8), false)
  time.pass(450)
  assert.equal(counts(8), true)
  buffer.restart(8)
  assert.deepEqual(deliver(buffer, 9, 'next'), ['all.9 next'])
  assert.equal(counts(4), true, 'an older database')
})

test('continues from ids that another process delivered, not from unknown ids', () => {
  const buffer = new ReplayBuffer(true)
  buffer.hasGap({ seq: 0, count: 5, isFinal: false })
  for (const [at, id] of ['a', 'b'].entries()) buffer.history.push(...flushOne(buffer, 6 + at, id))
  buffer.hasGap({ seq: 7, count: 8, isFinal: false })
  assert.deepEqual(
    buffer.changesAfter('all.6')?.map(({ notice }) => notice.id),
    ['b'],
  )
  assert.deepEqual(buffer.changesAfter('all.8'), [], 'it arrives here later')
  for (const id of ['all.4', 'all.9', 'other.6', ''])
    assert.equal(buffer.changesAfter(id), undefined, id)
})

function flushOne(buffer: ReplayBuffer, first: number, id: string) {
  buffer.incoming.push({ first, made: changesOf(id) })
  return buffer.flush()
}
