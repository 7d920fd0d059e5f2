import { scenario } from '#test/support/scenario/scenario.ts'

const CREATED = { status: 201, events: ['task.created'] }
const title = { project_id: '{project}', title: 'Seen from outside' }

scenario('collection URLs reject methods of a record', [
  {
    send: 'GET /api/v1/tasks/bulk',
    status: 405,
    replyHeaders: { allow: 'POST', 'x-ratelimit-limit': null },
  },
  { send: 'DELETE /api/v1/tasks/bulk', as: 'nobody', status: 405 },
  { send: 'PATCH /api/v1/tasks/bulk', body: {}, status: 405 },
])

scenario('rejects a due time without its due date', [
  {
    ...CREATED,
    send: 'POST /api/v1/tasks',
    body: { ...title, due_at: '2026-07-01T22:30:00Z' },
    reply: { due_date: '2026-07-02' },
    keep: { task: 'id' },
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { due_at: '2026-07-01T22:30:00Z', due_date: null },
    status: 422,
    reply: { error: { details: [{ field: 'due_at', code: 'conflicting_fields' }] } },
  },
])

scenario('errors of a rolled back bulk request name no created task', [
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: [
        { op: 'create', data: { ...title, external_source: 'test', external_id: '1' } },
        { op: 'create', data: { ...title, external_source: 'test', external_id: '1' } },
      ],
    },
    status: 409,
    check: ({ body }) => {
      if (JSON.stringify(body).includes('resource_id')) throw new Error('It is named')
    },
  },
])

scenario('errors of query parameters name the parameter', [
  {
    send: 'GET /api/v1/tasks?q=%ff',
    status: 400,
    reply: { error: { code: 'invalid_parameter', details: [{ field: 'q' }] } },
  },
])

scenario('answers 401 for a malformed API key', [
  {
    send: 'GET /api/v1/me',
    headers: { authorization: 'Bearer dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp x' },
    as: 'nobody',
    status: 401,
    reply: { error: { code: 'invalid_token' } },
    replyHeaders: { 'www-authenticate': /error="invalid_token"/ },
  },
])
