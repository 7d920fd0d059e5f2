import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'

scenario('creates a task with defaults', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: '  Ship the importer ' },
    status: 201,
    reply: {
      project_id: '{project}',
      number: 1,
      short_id: 'ENG-1',
      title: 'Ship the importer',
      description: null,
      status: 'todo',
      status_category: 'unstarted',
      completed_at: null,
      priority: 'none',
      assignee_ids: [],
      version: 1,
      created_by_id: '{owner}',
      deleted_at: null,
    },
    replyHeaders: { location: /\/api\/v1\/tasks\/tsk_/, etag: /^"1-[0-9a-f]{8}"$/ },
    events: ['task.created'],
    keep: { task: 'id' },
  },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { id: '{task}', short_id: 'ENG-1' } },
  { send: 'GET /api/v1/tasks/eng-1', status: 200, reply: { id: '{task}' } },
  { send: 'GET /api/v1/tasks/ENG-2', status: 404, reply: { error: { code: 'not_found' } } },
  { send: 'GET /api/v1/tasks/{task}', as: 'stranger', status: 404 },
  {
    send: 'GET /api/v1/projects/{project}',
    status: 200,
    reply: { task_counts: { total: 1, unstarted: 1 } },
  },
])

scenario('collection URLs reject methods of a record', [
  {
    send: 'GET /api/v1/tasks/bulk',
    status: 405,
    replyHeaders: { allow: 'POST', 'x-ratelimit-limit': null },
  },
  { send: 'DELETE /api/v1/tasks/bulk', as: 'nobody', status: 405 },
  { send: 'PATCH /api/v1/tasks/bulk', body: {}, status: 405 },
])

scenario('answers 401 for a malformed API key', [
  rejectedStep('GET /api/v1/me', 401, 'invalid_token', {
    as: 'nobody',
    headers: { authorization: 'Bearer dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp x' },
    replyHeaders: { 'www-authenticate': /error="invalid_token"/ },
  }),
])
