import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { validateEntryChanges, validateNewEntry } from './span.ts'

const ENTRIES = '/api/v1/tasks/{task}/time-entries'
const HALF_HOUR = { duration_seconds: 1800 }

scenario('returns all field errors at once', [
  CREATE_TASK_STEP,
  ...(
    [
      [{}, [['duration_seconds', 'required']]],
      [
        { running: false, note: 5, task_id: '{task}', hours: 2 },
        [
          ['note', 'invalid_type'],
          ['task_id', 'read_only_field'],
          ['hours', 'unknown_field'],
          ['running', 'conflicting_fields'],
        ],
      ],
      [{ running: null }, [['running', 'not_nullable']]],
      [{ duration_seconds: 0 }, [['duration_seconds', 'too_small']]],
      [{ duration_seconds: 86_401 }, [['duration_seconds', 'too_large']]],
      [{ duration_seconds: 1.5 }, [['duration_seconds', 'invalid_type']]],
      [{ duration_seconds: '60' }, [['duration_seconds', 'invalid_type']]],
      [{ started_at: '2026-03-01T09:00:00' }, [['started_at', 'invalid_format']]],
      [{ started_at: '9999-12-31T23:00:00Z' }, [['started_at', 'too_large']]],
      [{ started_at: '2020-03-01T09:00:00Z' }, [['started_at', 'too_small']]],
      [{ ...HALF_HOUR, note: 'x'.repeat(2_001) }, [['note', 'too_long']]],
      [{ ...HALF_HOUR, spent_on: null }, [['spent_on', 'not_nullable']]],
      [{ ...HALF_HOUR, billable: 1 }, [['billable', 'invalid_type']]],
      [{ ...HALF_HOUR, user_id: 'usr_1' }, [['user_id', 'invalid_reference']]],
      [{ ...HALF_HOUR, user_id: null }, [['user_id', 'not_nullable']]],
      [{ ...HALF_HOUR, user_id: 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3' }, [['user_id', 'not_a_member']]],
      [
        { started_at: '2026-03-01T09:00:00Z', ended_at: '2026-03-01T09:00:00Z' },
        [['ended_at', 'invalid_range']],
      ],
    ] as const
  ).map(([body, faults]) => ({
    send: `POST ${ENTRIES}`,
    body,
    status: 422,
    reply: { error: { details: faults.map(([field, code]) => ({ field, code })) } },
    check: (reply: { body: unknown }) =>
      assert.equal(
        (reply.body as { error: { details: [] } }).error.details.length,
        faults.length,
        JSON.stringify(reply.body),
      ),
  })),
  {
    send: `POST ${ENTRIES}`,
    body: HALF_HOUR,
    status: 201,
    keep: { entry: 'id' },
    events: ['time_entry.created'],
  },
  ...(
    [
      [{ duration_seconds: null }, 'duration_seconds', 'not_nullable'],
      [{ started_at: null }, 'started_at', 'not_nullable'],
      [{ ended_at: null }, 'ended_at', 'not_nullable'],
      [{ running: true }, 'running', 'conflicting_fields'],
      [{ started_at: '2026-03-01T09:00:00Z' }, 'ended_at', 'required'],
      [{ user_id: '{member}' }, 'user_id', 'read_only_field'],
      [{ is_running: false }, 'is_running', 'read_only_field'],
    ] as const
  ).map(([body, field, code]) => ({
    send: 'PATCH /api/v1/time-entries/{entry}',
    body,
    status: 422,
    reply: { error: { details: [{ field, code }] } },
  })),
  {
    send: 'GET /api/v1/tasks/{task}',
    status: 200,
    reply: { time_spent_seconds: 1800, version: 1 },
  },
])

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
