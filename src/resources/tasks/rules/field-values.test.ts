import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldError } from '#wire/field-error.ts'
import { resolveDates } from './rules.ts'

// The time was set in the zone of Zurich; the workspace has changed to New York since.
const stored = { start_date: null, due_date: '2026-04-01', due_at: '2026-03-31T22:30:00.000Z' }

test('writing the same due time after a change of the time zone keeps the due date', () => {
  const { due_at, due_date } = stored
  const faults: FieldError[] = []
  for (const wished of [{}, { due_at }, { due_at, due_date }, { due_date }, { start_date: null }]) {
    assert.deepEqual(resolveDates(stored, wished, 'America/New_York', faults), stored)
  }
  assert.deepEqual(faults, [])
})

test('a new due time uses the present time zone', () => {
  const faults: FieldError[] = []
  const due_at = '2026-03-31T23:30:00.000Z'
  assert.equal(resolveDates(stored, { due_at }, 'America/New_York', faults).due_date, '2026-03-31')
  assert.deepEqual(faults, [])
  resolveDates(stored, { due_at, due_date: '2026-04-01' }, 'America/New_York', faults)
  assert.deepEqual(
    faults.map(({ field, code }) => [field, code]),
    [['due_at', 'conflicting_fields']],
  )
})
