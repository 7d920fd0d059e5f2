import { scenario } from '#test/support/scenario.ts'
import { made } from '#test/support/steps.ts'

scenario('a file is attached', [
  made('T'),
  {
    send: 'POST /api/v1/tasks/{T}/attachments?filename=notes.txt',
    headers: { 'content-type': 'text/plain' },
    body: 'Hello',
    status: 201,
    keep: { a: 'id' },
    events: ['attachment.created'],
  },
  { send: 'GET /api/v1/attachments/{a}/content', status: 200 },
  { send: 'GET /api/v1/attachments/{a}', status: 200 },
  { send: 'GET /api/v1/tasks/{T}/attachments', status: 200 },
  { send: 'DELETE /api/v1/attachments/{a}', status: 204 },
])
