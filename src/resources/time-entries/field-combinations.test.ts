import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateEntryChanges, validateNewEntry } from './span.ts'

type EntryFields = Record<string, unknown>
const [started_at, ended_at] = ['2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z']
const duration_seconds = 60

const told = (faults: { field: string; code: string }[]) =>
  faults.map(({ field, code }) => `${field} ${code}`)

const NEW: [given: EntryFields, faults: string[]][] = [
  [{ duration_seconds }, []],
  [{ started_at, ended_at }, []],
  [{ started_at, duration_seconds }, []],
  [{ running: true }, []],
  [{ started_at }, []],
  [{ started_at, running: true }, []],
  [{ started_at: null, ended_at: null, duration_seconds }, []],
  [{ started_at, ended_at: null, duration_seconds: null, running: true }, []],
  [{}, ['duration_seconds required']],
  [{ note: 'x', started_at: null, ended_at: null }, ['duration_seconds required']],
  [{ running: 'yes' }, []],
  [{ running: false }, ['running conflicting_fields']],
  [{ running: false, duration_seconds }, ['running conflicting_fields']],
  [{ running: false, started_at }, ['running conflicting_fields']],
  [{ running: false, started_at, ended_at }, ['running conflicting_fields']],
  [{ running: true, duration_seconds }, ['running conflicting_fields']],
  [{ running: true, started_at, duration_seconds }, ['running conflicting_fields']],
  [{ running: true, started_at, ended_at }, ['running conflicting_fields']],
  [{ started_at, ended_at, duration_seconds }, ['duration_seconds conflicting_fields']],
  [{ ended_at }, ['ended_at conflicting_fields']],
  [
    { ended_at, duration_seconds },
    ['duration_seconds conflicting_fields', 'ended_at conflicting_fields'],
  ],
  [{ ended_at, running: true }, ['running conflicting_fields', 'ended_at conflicting_fields']],
]

const CHANGED: [given: EntryFields, faults: string[]][] = [
  [{}, []],
  [{ running: false }, []],
  [{ running: true, started_at }, []],
  [{ running: false, ended_at }, []],
  [{ running: false, duration_seconds }, []],
  [{ started_at, ended_at }, []],
  [{ duration_seconds: null, started_at }, []],
  [{ started_at, duration_seconds }, ['duration_seconds conflicting_fields']],
  [{ ended_at, duration_seconds }, ['duration_seconds conflicting_fields']],
  [{ running: true, ended_at }, ['running conflicting_fields']],
]

test('a new entry is a duration, a span or a timer', () => {
  for (const [given, faults] of NEW) {
    assert.deepEqual(told(validateNewEntry(given)), faults, JSON.stringify(given))
  }
})

test('an update rejects a duration with times, and an end for a running timer', () => {
  for (const [given, faults] of CHANGED) {
    assert.deepEqual(told(validateEntryChanges(given)), faults, JSON.stringify(given))
  }
})
