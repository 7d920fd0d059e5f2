import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep, validationFailedSteps } from '#test/support/scenario/steps.ts'

const BULK = 'POST /api/v1/time-entries/bulk'
const create = (data: object, task_id = '{task}') => ({ op: 'create', task_id, data })

const entryStep = (name: string, as: 'owner' | 'member' = 'owner') => ({
  send: 'POST /api/v1/tasks/{task}/time-entries',
  as,
  body: { duration_seconds: 600 },
  status: 201,
  events: ['time_entry.created'],
  keep: { [name]: 'id', [`${name}At`]: 'updated_at' },
})

scenario('logs, updates and deletes time in bulk', [
  CREATE_TASK_STEP,
  entryStep('Mine'),
  entryStep('Theirs', 'member'),
  {
    send: BULK,
    body: {
      operations: [
        create({ duration_seconds: 60, user_id: '{member}', spent_on: '2026-03-01' }, 'ENG-1'),
        create({ running: true }),
        create({ running: true, note: 'Another' }),
        { op: 'update', id: '{Mine}', updated_at: '{MineAt}', data: { duration_seconds: 900 } },
        { op: 'update', id: '{Mine}', data: {} },
        { op: 'delete', id: '{Theirs}' },
      ],
    },
    status: 200,
    events: [
      { type: 'time_entry.created', data: { task_id: '{task}', user_id: '{member}' } },
      'time_entry.created',
      'time_entry.updated',
      { type: 'time_entry.created', data: { note: 'Another', is_running: true } },
      { type: 'time_entry.updated', data: { id: '{Mine}', duration_seconds: 900 } },
      { type: 'time_entry.deleted', data: { id: '{Theirs}' } },
    ],
    reply: {
      succeeded: 6,
      results: [
        { status: 201, data: { duration_seconds: 60, spent_on: '2026-03-01' } },
        { status: 201, data: { is_running: true } },
        { status: 201, data: { is_running: true } },
        { status: 200, data: { duration_seconds: 900 } },
        { status: 200, operation_id: null },
        { status: 204, data: null },
      ],
    },
  },
  {
    send: BULK,
    as: 'member',
    body: {
      atomic: false,
      operations: [
        create({ duration_seconds: 60, user_id: '{owner}' }),
        { op: 'update', id: '{Mine}', data: { note: 'Mine' } },
        { op: 'delete', id: '{Theirs}' },
        create({ duration_seconds: 0 }),
        create({ duration_seconds: 30 }),
      ],
    },
    status: 200,
    events: ['time_entry.created'],
    reply: {
      succeeded: 1,
      failed: 4,
      results: [
        { status: 403 },
        { status: 403 },
        { status: 404 },
        { status: 422 },
        { status: 201 },
      ],
    },
  },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { version: 1 } },
])

scenario('a bulk request for time entries is atomic and checks its shape and scopes', [
  CREATE_TASK_STEP,
  entryStep('Mine'),
  rejectedStep(BULK, 404, 'not_found', {
    body: { operations: [create({ duration_seconds: 60 }), create({ running: true }, 'ENG-9')] },
    reply: { error: { details: [{ field: 'operations[1]', code: 'not_found' }] } },
  }),
  rejectedStep(BULK, 412, 'version_mismatch', {
    body: {
      operations: [
        create({ duration_seconds: 60 }),
        { op: 'delete', id: '{Mine}', updated_at: '2020-01-01T00:00:00Z' },
      ],
    },
  }),
  ...validationFailedSteps(BULK, [
    [
      { operations: [create({ duration_seconds: 60, running: true }), create({})] },
      { 'operations[0].data.running': 'conflicting_fields' },
    ],
    [
      {
        operations: [
          { op: 'create', data: {} },
          { op: 'stop', id: '{Mine}' },
        ],
      },
      { 'operations[0].task_id': 'required', 'operations[1].op': 'invalid_value' },
    ],
  ]),
  rejectedStep(BULK, 403, 'insufficient_scope', {
    as: ['time_entries:write'],
    body: { operations: [{ op: 'delete', id: '{Mine}' }] },
    replyHeaders: { 'www-authenticate': /scope="time_entries:delete"/ },
  }),
  {
    send: `${BULK}?dry_run=true`,
    body: { operations: [{ op: 'delete', id: '{Mine}' }] },
    status: 200,
    reply: { results: [{ status: 204 }] },
  },
  {
    send: 'GET /api/v1/tasks/{task}/time-entries',
    status: 200,
    reply: { data: [{ id: '{Mine}' }] },
  },
])
