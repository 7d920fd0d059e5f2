import { scenario } from '#test/support/scenario.ts'

const CREATED = { status: 201, events: ['task.created'] }
const title = { project_id: '{project}', title: 'Seen from outside' }

scenario('an address for many takes no method of a record', [
  {
    send: 'GET /api/v1/tasks/bulk',
    status: 405,
    replyHeaders: { allow: 'POST', 'x-ratelimit-limit': null },
  },
  { send: 'DELETE /api/v1/tasks/bulk', as: 'nobody', status: 405 },
  { send: 'PATCH /api/v1/tasks/bulk', body: {}, status: 405 },
])

scenario('a time that stays cannot stand beside a day that goes', [
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

scenario('a refused call names no task that is gone with it', [
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

scenario('a fault of a query is told by the name of its parameter', [
  {
    send: 'GET /api/v1/tasks?q=%ff',
    status: 400,
    reply: { error: { code: 'invalid_parameter', details: [{ field: 'q' }] } },
  },
])

scenario('what is no key is an invalid one', [
  {
    send: 'GET /api/v1/me',
    headers: { authorization: 'Bearer dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp x' },
    as: 'nobody',
    status: 401,
    reply: { error: { code: 'invalid_token' } },
    replyHeaders: { 'www-authenticate': /error="invalid_token"/ },
  },
])
