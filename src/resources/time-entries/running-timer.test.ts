import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'

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
  {
    ...CREATE_TASK_STEP,
    body: { project_id: '{hidden}', title: 'Secret' },
    keep: { secret: 'id' },
  },
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
