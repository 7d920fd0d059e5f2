import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScenarioStep, scenario, valueAt } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'
import type { FieldError } from '#wire/field-error.ts'
import { resolveDates } from './rules.ts'

const change = (body: object, reply: object, changes?: object): ScenarioStep => ({
  send: 'PATCH /api/v1/tasks/{Task}',
  body,
  status: 200,
  reply,
  events: changes ? [{ type: 'task.updated', changes }] : [],
})

const due = (due_date: string | null, due_at: string | null) => ({ due_date, due_at })

// The time zone of the test workspace is Europe/Zurich.
scenario('a due time sets the due date, and a new due date clears the time', [
  createTaskStep(
    'Task',
    { due_at: '2026-03-31T22:30:00Z' },
    {
      reply: due('2026-04-01', '2026-03-31T22:30:00.000Z'),
    },
  ),
  change({ due_date: '2026-04-01' }, due('2026-04-01', '2026-03-31T22:30:00.000Z')),
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { due_at: '2026-03-31T22:30:00Z', due_date: null },
    { due_at: 'conflicting_fields' },
  ),
  change({ due_at: '2026-04-01T00:30:00+02:00' }, { version: 1 }),
  change({ due_at: null }, due('2026-04-01', null), {
    due_at: { from: '2026-03-31T22:30:00.000Z', to: null },
  }),
  change(
    { due_at: '2026-01-31T23:00:00Z', due_date: '2026-02-01' },
    { due_date: '2026-02-01' },
    {
      due_date: { from: '2026-04-01', to: '2026-02-01' },
      due_at: { from: null, to: '2026-01-31T23:00:00.000Z' },
    },
  ),
  change({ due_date: '2026-02-02' }, due('2026-02-02', null), {
    due_date: { from: '2026-02-01', to: '2026-02-02' },
    due_at: { from: '2026-01-31T23:00:00.000Z', to: null },
  }),
  change(
    { due_at: '2026-02-02T10:00:00Z' },
    { version: 5 },
    {
      due_at: { from: null, to: '2026-02-02T10:00:00.000Z' },
    },
  ),
  change({ due_date: '2026-02-02', due_at: null }, due('2026-02-02', null), {
    due_at: { from: '2026-02-02T10:00:00.000Z', to: null },
  }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{Task}', [
    [{ due_date: '2026-02-02', due_at: '2026-02-02T23:00:00Z' }, { due_at: 'conflicting_fields' }],
    [{ due_date: null, due_at: '2026-02-02T12:00:00Z' }, { due_at: 'conflicting_fields' }],
  ]),
  change({ due_date: null }, due(null, null), { due_date: { from: '2026-02-02', to: null } }),
  change({ due_date: null, due_at: null }, { version: 7 }),
])

scenario('rejects a start date after the due date', [
  createTaskStep('Task', { start_date: '2026-03-10', due_date: '2026-03-10' }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{Task}', [
    [{ due_date: '2026-03-09' }, { due_date: 'invalid_range' }],
    [{ start_date: '2026-03-11' }, { start_date: 'invalid_range' }],
    [{ due_at: '2026-03-09T12:00:00Z' }, { due_at: 'invalid_range' }],
    [{ due_date: '2026-03-09', start_date: '2026-03-10' }, { start_date: 'invalid_range' }],
  ]),
  change(
    { due_date: null },
    { start_date: '2026-03-10' },
    {
      due_date: { from: '2026-03-10', to: null },
    },
  ),
  change(
    { start_date: '2026-03-12', due_date: '2026-03-13' },
    { version: 3 },
    {
      start_date: { from: '2026-03-10', to: '2026-03-12' },
      due_date: { from: null, to: '2026-03-13' },
    },
  ),
])

const times: [sent: string, stored: string | undefined][] = [
  ['2026-03-01T09:30:00.9999Z', '2026-03-01T09:30:00.999Z'],
  ['2026-03-01T00:15:00+05:45', '2026-02-28T18:30:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-30T23:59:59.123456789Z', '9999-12-30T23:59:59.123Z'],
  ['2026-03-01T09:30:00', undefined],
  ['2026-03-01 09:30:00Z', undefined],
  ['2026-03-01T09:30Z', undefined],
  ['2026-03-01T09:30:60Z', undefined],
  ['2026-02-30T09:30:00Z', undefined],
  ['1969-12-31T23:59:59Z', undefined],
  ['9999-12-31T23:30:00Z', undefined],
  ['2026-03-01T09:30:00.1234567891Z', undefined],
]

scenario(
  'stores times in UTC with milliseconds, or rejects them',
  times.map(([due_at, stored]) =>
    stored
      ? createTaskStep('t', { due_at }, { reply: { due_at: stored } })
      : validationFailedStep(
          'POST /api/v1/tasks',
          { project_id: '{project}', title: 't', due_at },
          { due_at: 'invalid_format' },
        ),
  ),
)

scenario('updated_at strictly increases and version counts the changes', [
  createTaskStep('Task'),
  ...Array.from(
    { length: 5 },
    (_, time): ScenarioStep => ({
      send: 'PATCH /api/v1/tasks/{Task}',
      body: { estimate_seconds: time },
      status: 200,
      reply: { version: time + 2 },
      events: ['task.updated'],
      check: ({ body }, known) => {
        const updated = valueAt(body, 'updated_at')
        if (updated <= (known.updated ?? '')) throw new Error(`${updated} after ${known.updated}`)
        known.updated = updated
      },
    }),
  ),
])

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
