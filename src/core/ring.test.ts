import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stoppedTime } from '#test/support/stopped-time.ts'
import type { Made } from './noted.ts'
import { Ring } from './ring.ts'

const of = (...ids: string[]): Made[] =>
  ids.map((id) => ({
    notice: { noun: 'task', id, op: 'update', operation_id: 'opr_1', actor_id: null },
    only_for: undefined,
  }))

function told(ring: Ring, first: number, ...ids: string[]): string[] {
  ring.coming.push({ first, made: of(...ids) })
  return ring.flush().map(({ notice, id }) => `${id} ${notice.id}`)
}

test('what comes early waits for what is missing, and what comes twice is told once', () => {
  const ring = new Ring(true)
  ring.misses({ seq: 0, count: 3, isSure: false })
  assert.deepEqual(told(ring, 6, 'c'), [])
  assert.deepEqual(told(ring, 7, 'd'), [])
  assert.deepEqual(told(ring, 3, 'old'), [])
  assert.deepEqual(told(ring, 4, 'a', 'b'), ['all.4 a', 'all.5 b', 'all.6 c', 'all.7 d'])
  assert.deepEqual(told(ring, 6, 'c'), [])
})

test('while it is asked from where to go on, everything waits', () => {
  const ring = new Ring(true)
  ring.asking += 1
  assert.deepEqual(told(ring, 5, 'known'), [])
  assert.deepEqual(told(ring, 6, 'new'), [])
  ring.asking -= 1
  assert.equal(ring.misses({ seq: 0, count: 5, isSure: false }), false)
  assert.deepEqual(
    ring.flush().map(({ id }) => id),
    ['all.6'],
  )
  const heard = new Ring(true)
  assert.deepEqual(told(heard, 9, 'first'), ['all.9 first'])
})

test('what was counted and does not come is missed, and so is all when less is counted', (t) => {
  const time = stoppedTime(t)
  const ring = new Ring(true)
  const counts = (count: number, isSure = false) => ring.misses({ seq: ring.seq, count, isSure })
  counts(5)
  assert.equal(counts(6), false)
  assert.equal(counts(6), false, 'it may be on its way')
  assert.equal(counts(6, true), true, 'nobody has listened')
  ring.restart(6)
  assert.deepEqual(told(ring, 8, 'late'), [])
  time.pass(450)
  assert.equal(counts(8), false)
  time.pass(450)
  assert.equal(counts(8), true)
  ring.restart(8)
  assert.deepEqual(told(ring, 9, 'next'), ['all.9 next'])
  assert.equal(counts(4), true, 'an older database')
})

test('who goes on from what was told elsewhere goes on, from what never was does not', () => {
  const ring = new Ring(true)
  ring.misses({ seq: 0, count: 5, isSure: false })
  for (const [at, id] of ['a', 'b'].entries()) ring.kept.push(...keptOf(ring, 6 + at, id))
  ring.misses({ seq: 7, count: 8, isSure: false })
  assert.deepEqual(
    ring.after('all.6')?.map(({ notice }) => notice.id),
    ['b'],
  )
  assert.deepEqual(ring.after('all.8'), [], 'it comes here later')
  for (const id of ['all.4', 'all.9', 'other.6', '']) assert.equal(ring.after(id), undefined, id)
})

function keptOf(ring: Ring, first: number, id: string) {
  ring.coming.push({ first, made: of(id) })
  return ring.flush()
}
