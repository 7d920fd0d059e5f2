import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  patchTaskStep,
  rejectedStep,
  restoreTaskStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

scenario('deletes subtasks too, ordered by depth and number, and restores the same ones', [
  createTaskStep('Top'),
  createTaskStep('A', { parent_id: '{Top}' }),
  createTaskStep('Low', { parent_id: '{A}' }),
  createTaskStep('B', { parent_id: '{Top}', status: 'done' }),
  createTaskStep('Before', { parent_id: '{Top}' }),
  deleteTaskStep('Before'),
  deleteTaskStep('Top', undefined, {
    events: [
      { type: 'task.deleted', data: { id: '{Top}', version: 2, subtask_count: 0 }, changes: {} },
      { type: 'task.deleted', data: { id: '{A}' } },
      { type: 'task.deleted', data: { id: '{B}' } },
      { type: 'task.deleted', data: { id: '{Low}' } },
    ],
  }),
  ...['Top', 'A', 'Low', 'B', 'Before'].map((name) =>
    rejectedStep(`GET /api/v1/tasks/{${name}}`, 404, 'not_found'),
  ),
  rejectedStep('DELETE /api/v1/tasks/{Top}', 404, 'not_found'),
  rejectedStep('PATCH /api/v1/tasks/ENG-1', 404, 'not_found', { body: { title: 'x' } }),
  rejectedStep('POST /api/v1/tasks/{Top}/complete', 404, 'not_found'),
  listStep('/api/v1/projects/{project}/tasks', []),
  listStep('/api/v1/projects/{project}/tasks?deleted=only', ['Top', 'A', 'Low', 'B', 'Before']),
  restoreTaskStep('Top', {
    reply: { deleted_at: null, subtask_count: 2, completed_subtask_count: 1, version: 3 },
    events: [
      { type: 'task.updated', data: { id: '{Top}' } },
      { type: 'task.updated', data: { id: '{A}', parent_id: '{Top}', subtask_count: 1 } },
      { type: 'task.updated', data: { id: '{B}', status: 'done' } },
      { type: 'task.updated', data: { id: '{Low}' } },
    ],
  }),
  listStep('/api/v1/projects/{project}/tasks?deleted=include', ['Top', 'A', 'Low', 'B', 'Before']),
  {
    send: 'POST /api/v1/tasks/ENG-5/restore',
    status: 200,
    reply: { parent_id: '{Top}' },
    events: ['task.updated'],
  },
  restoreTaskStep('Top', {
    reply: { version: 3 },
    replyHeaders: { 'x-operation-id': null },
    events: [],
  }),
])

const clock = createTestClock()
scenario(
  'stops timers of a deleted task for good',
  [
    createTaskStep('Task'),
    {
      send: 'POST /api/v1/tasks/{Task}/time-entries',
      body: { running: true },
      status: 201,
      events: ['time_entry.created'],
      keep: { entry: 'id' },
    },
    deleteTaskStep('Task', undefined, {
      events: [
        { type: 'task.deleted', data: { time_spent_seconds: 1 } },
        {
          type: 'time_entry.updated',
          project_id: '{project}',
          data: { id: '{entry}', task_id: '{Task}', is_running: false, duration_seconds: 1 },
        },
      ],
    }),
    rejectedStep('GET /api/v1/time-entries/{entry}', 404, 'not_found'),
    restoreTaskStep('Task', { reply: { time_spent_seconds: 1 } }),
    { send: 'GET /api/v1/time-entries/{entry}', status: 200, reply: { is_running: false } },
  ],
  {},
  { clock },
)

scenario('guests delete and restore only tasks that they created', [
  createTaskStep('Theirs'),
  createTaskStep('Own', {}, { as: 'guest' }),
  rejectedStep('DELETE /api/v1/tasks/{Theirs}', 403, 'insufficient_role', { as: 'guest' }),
  deleteTaskStep('Own', undefined, { as: 'guest' }),
  deleteTaskStep('Theirs'),
  rejectedStep('POST /api/v1/tasks/{Theirs}/restore', 403, 'insufficient_role', { as: 'guest' }),
  restoreTaskStep('Own', { as: 'guest' }),
  rejectedStep('POST /api/v1/tasks/{Theirs}/restore', 404, 'not_found', { as: 'stranger' }),
  restoreTaskStep('Theirs', { as: 'member' }),
])

scenario('guests neither delete nor restore the subtasks of others with a task of their own', [
  createTaskStep('Own', {}, { as: 'guest' }),
  createTaskStep('Child', { parent_id: '{Own}' }, { as: 'guest' }),
  createTaskStep('Theirs'),
  patchTaskStep('Theirs', { parent_id: '{Child}' }, { as: 'guest' }),
  rejectedStep('DELETE /api/v1/tasks/{Own}', 403, 'insufficient_role', { as: 'guest' }),
  {
    send: 'POST /api/v1/tasks/bulk',
    as: 'guest',
    body: { atomic: false, operations: [{ op: 'delete', id: '{Own}' }] },
    status: 200,
    reply: { failed: 1, results: [{ status: 403, error: { code: 'insufficient_role' } }] },
    events: [],
  },
  { send: 'GET /api/v1/tasks/{Theirs}', status: 200, reply: { parent_id: '{Child}' } },
  deleteTaskStep('Own', Array(3).fill('task.deleted'), { as: 'member' }),
  rejectedStep('POST /api/v1/tasks/{Own}/restore', 403, 'insufficient_role', { as: 'guest' }),
  restoreTaskStep('Own', { as: 'member', events: Array(3).fill('task.updated') }),
  patchTaskStep('Theirs', { parent_id: null }, { as: 'guest' }),
  deleteTaskStep('Own', Array(2).fill('task.deleted'), { as: 'guest' }),
  restoreTaskStep('Own', { as: 'guest', events: Array(2).fill('task.updated') }),
])

scenario('a dry run of delete and restore changes nothing', [
  createTaskStep('Task'),
  {
    send: 'DELETE /api/v1/tasks/{Task}?dry_run=true',
    status: 204,
    replyHeaders: { 'x-dry-run': 'true', 'x-operation-id': null },
  },
  { send: 'GET /api/v1/tasks/{Task}', status: 200, reply: { version: 1 } },
  deleteTaskStep('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/restore?dry_run=true',
    status: 200,
    reply: { deleted_at: null, version: 3 },
    replyHeaders: { 'x-dry-run': 'true', etag: null },
  },
  rejectedStep('GET /api/v1/tasks/{Task}', 404, 'not_found'),
])
