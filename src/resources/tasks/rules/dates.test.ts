import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '#wire/fault.ts'
import { datesOf } from './dates.ts'

// The workspace was in Zurich when the time was set, and has moved to New York since.
const stored = { start_date: null, due_date: '2026-04-01', due_at: '2026-03-31T22:30:00.000Z' }

test('a later change of the zone changes no stored day, though its time is written again', () => {
  const { due_at, due_date } = stored
  const faults: Fault[] = []
  for (const wished of [{}, { due_at }, { due_at, due_date }, { due_date }, { start_date: null }]) {
    assert.deepEqual(datesOf(stored, wished, 'America/New_York', faults), stored)
  }
  assert.deepEqual(faults, [])
})

test('a new time counts in the zone of today', () => {
  const faults: Fault[] = []
  const due_at = '2026-03-31T23:30:00.000Z'
  assert.equal(datesOf(stored, { due_at }, 'America/New_York', faults).due_date, '2026-03-31')
  assert.deepEqual(faults, [])
  datesOf(stored, { due_at, due_date: '2026-04-01' }, 'America/New_York', faults)
  assert.deepEqual(
    faults.map(({ field, code }) => [field, code]),
    [['due_at', 'conflicting_fields']],
  )
})
