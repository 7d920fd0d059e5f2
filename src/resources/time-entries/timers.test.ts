import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

const ENTRIES = '/api/v1/tasks/{task}/time-entries'
const ENTRY = '/api/v1/time-entries/{entry}'

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const HOUR = 3600

/** A timer that was started at the given time, by default an hour ago. */
const running = {
  send: `POST ${ENTRIES}`,
  body: { started_at: ago(HOUR), running: true },
  status: 201,
  reply: { is_running: true, ended_at: null, duration_seconds: null },
  keep: { entry: 'id' },
  events: ['time_entry.created'],
}

interface TimerReply {
  started_at: string
  ended_at: string
  duration_seconds: number
  created_at: string
  spent_on: string
}
const shown = ({ body }: { body: unknown }) => body as TimerReply

const clock = createTestClock()
scenario(
  'starts and stops a timer, with a duration of at least one second',
  [
    CREATE_TASK_STEP,
    {
      ...running,
      body: { running: true },
      check: (reply) => {
        const { started_at, created_at, spent_on } = shown(reply)
        assert.equal(started_at, created_at)
        const day = new Date(started_at).toLocaleDateString('sv-SE', { timeZone: 'Europe/Zurich' })
        assert.equal(spent_on, day)
      },
      keep: { entry: 'id', start: 'started_at' },
    },
    {
      send: `PATCH ${ENTRY}`,
      body: { duration_seconds: 60 },
      status: 422,
      reply: { error: { details: [{ field: 'duration_seconds', code: 'conflicting_fields' }] } },
    },
    {
      send: `PATCH ${ENTRY}`,
      body: { running: false },
      status: 200,
      reply: { is_running: false, duration_seconds: 1, started_at: '{start}' },
      events: ['time_entry.updated'],
      check: (reply) => {
        const { started_at, ended_at } = shown(reply)
        assert.ok(Date.parse(ended_at) - Date.parse(started_at) >= 1000)
      },
      keep: { end: 'ended_at', changed: 'updated_at' },
    },
    {
      send: `PATCH ${ENTRY}`,
      body: { running: false },
      status: 200,
      reply: { ended_at: '{end}', updated_at: '{changed}' },
      replyHeaders: { 'x-operation-id': null },
    },
    {
      send: 'GET /api/v1/tasks/{task}',
      status: 200,
      reply: { time_spent_seconds: 1, version: 1 },
    },
  ],
  {},
  { clock },
)

scenario('stops a timer at a given time', [
  CREATE_TASK_STEP,
  { ...running, body: { started_at: ago(2 * HOUR) } },
  {
    send: `PATCH ${ENTRY}`,
    body: { started_at: ago(24 * HOUR + 60), running: true },
    status: 422,
    reply: { error: { details: [{ field: 'started_at', code: 'too_small' }] } },
  },
  {
    send: `PATCH ${ENTRY}`,
    body: { started_at: '2026-03-01T09:00:00Z', ended_at: '2026-03-01T10:15:00Z' },
    status: 200,
    reply: { duration_seconds: 4500, is_running: false },
    events: ['time_entry.updated'],
  },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { time_spent_seconds: 4500 } },
])

scenario('starting a timer stops the running timer of the user', [
  CREATE_TASK_STEP,
  createTaskStep('secret', { project_id: '{hidden}', title: 'Secret' }),
  { ...running, send: 'POST /api/v1/tasks/{secret}/time-entries' },
  { ...running, as: 'member', keep: { members: 'id' } },
  {
    ...running,
    body: { running: true },
    keep: { second: 'id', start: 'started_at' },
    events: [
      {
        type: 'time_entry.updated',
        project_id: '{hidden}',
        data: { id: '{entry}', task_id: '{secret}', is_running: false },
      },
      { type: 'time_entry.created', project_id: '{project}', data: { is_running: true } },
    ],
  },
  {
    send: `GET ${ENTRY}`,
    status: 200,
    reply: { is_running: false, ended_at: '{start}' },
    check: (reply) => {
      const { started_at, ended_at, duration_seconds } = shown(reply)
      const ms = Date.parse(ended_at) - Date.parse(started_at)
      assert.equal(duration_seconds, Math.floor(ms / 1000))
    },
    keep: { seconds: 'duration_seconds' },
  },
  {
    send: 'GET /api/v1/tasks/{secret}',
    status: 200,
    check: ({ body }, { seconds }) =>
      assert.equal(String((body as Record<string, number>).time_spent_seconds), seconds),
  },
  { send: 'GET /api/v1/time-entries/{members}', status: 200, reply: { is_running: true } },
  {
    send: `POST ${ENTRIES}`,
    as: 'admin',
    body: { running: true, user_id: '{member}' },
    status: 201,
    reply: { user_id: '{member}', is_running: true },
    events: ['time_entry.updated', 'time_entry.created'],
    keep: { given: 'id' },
  },
  { send: 'GET /api/v1/time-entries/{members}', status: 200, reply: { is_running: false } },
  { send: 'GET /api/v1/time-entries/{second}', status: 200, reply: { is_running: true } },
])

scenario('logging time and rejected requests leave the timer running', [
  CREATE_TASK_STEP,
  running,
  {
    send: `POST ${ENTRIES}`,
    body: { duration_seconds: 60 },
    status: 201,
    events: ['time_entry.created'],
  },
  { send: `POST ${ENTRIES}`, body: { running: true, duration_seconds: 60 }, status: 422 },
  { send: `POST ${ENTRIES}?dry_run=true`, body: { running: true }, status: 201 },
  { send: `GET ${ENTRY}`, status: 200, reply: { is_running: true } },
  { send: `DELETE ${ENTRY}`, status: 204, events: ['time_entry.deleted'] },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { time_spent_seconds: 60 } },
])

const none = { send: 'GET /internal/timer', status: 200, reply: { entry: null, task: null } }
const start = {
  body: { running: true },
  status: 201,
  keep: { entry: 'id' },
  events: ['time_entry.created'],
}

scenario('returns the running timer of the user on any task', [
  { ...none, as: 'session' },
  { ...CREATE_TASK_STEP, keep: { task: 'id', short_id: 'short_id' } },
  createTaskStep('secret', { project_id: '{hidden}', title: 'Secret' }),
  { ...start, send: 'POST /api/v1/tasks/{task}/time-entries' },
  {
    send: 'GET /internal/timer',
    as: 'session',
    status: 200,
    reply: {
      entry: { id: '{entry}', is_running: true, task_id: '{task}' },
      task: { id: '{task}', short_id: '{short_id}', project_id: '{project}' },
    },
  },
  { ...none, as: 'member session' },
  {
    ...start,
    send: 'POST /api/v1/tasks/{secret}/time-entries',
    events: ['time_entry.updated', 'time_entry.created'],
  },
  {
    send: 'GET /internal/timer',
    as: 'session',
    status: 200,
    reply: { entry: { id: '{entry}' }, task: { id: '{secret}', title: 'Secret' } },
  },
  {
    send: 'PATCH /api/v1/time-entries/{entry}',
    body: { running: false },
    status: 200,
    events: ['time_entry.updated'],
  },
  { ...none, as: 'session' },
  { ...start, send: 'POST /api/v1/tasks/{task}/time-entries' },
  {
    send: 'DELETE /api/v1/tasks/{task}',
    status: 204,
    events: ['task.deleted', 'time_entry.updated'],
  },
  { ...none, as: 'session' },
  { send: 'GET /internal/timer', status: 403, reply: { error: { code: 'session_required' } } },
  { send: 'GET /internal/timer', as: 'nobody', status: 401 },
])
