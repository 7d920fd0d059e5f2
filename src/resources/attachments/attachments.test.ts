import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { singleFileForm } from '#test/support/scenario/multipart-form.ts'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  prepareProjectChange,
  rejectedStep,
} from '#test/support/scenario/steps.ts'

const HELLO = '185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969'
const UPLOADS = '/api/v1/tasks/{T}/attachments'

/** A step that attaches a file, to which later steps refer by name. */
const attached = (name: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `POST ${UPLOADS}?filename=${name}`,
  headers: { 'content-type': 'text/plain' },
  raw: Buffer.from('Hello'),
  status: 201,
  events: ['attachment.created'],
  keep: { [name]: 'id' },
  ...more,
})

const bytesAre = (wanted: Uint8Array) => (reply: ScenarioReply) =>
  assert.deepEqual(reply.bytes, wanted)
const count = (attachment_count: number): ScenarioStep => ({
  send: 'GET /api/v1/tasks/{T}',
  status: 200,
  reply: { attachment_count, version: 1 },
})

scenario('creates, reads, lists, downloads and deletes an attachment', [
  createTaskStep('T', {}, { keep: { T: 'id', short: 'short_id' } }),
  {
    ...attached('notes.txt'),
    send: 'POST /api/v1/tasks/{short}/attachments?filename=notes.txt',
    as: 'guest',
    keep: { a: 'id', sent: 'created_at' },
    reply: {
      task_id: '{T}',
      project_id: '{project}',
      filename: 'notes.txt',
      content_type: 'text/plain',
      size_bytes: 5,
      sha256: HELLO,
      created_by_id: '{guest}',
    },
    replyHeaders: {
      location: /\/api\/v1\/attachments\/att_\w{26}$/,
      etag: /^"[0-9a-z]+-[0-9a-f]{8}"$/,
      'x-operation-id': /^opr_/,
    },
    events: [{ type: 'attachment.created', data: { filename: 'notes.txt' }, changes: {} }],
  },
  count(1),
  {
    send: 'GET /api/v1/attachments/{a}',
    status: 200,
    reply: { id: '{a}', created_at: '{sent}' },
    replyHeaders: { etag: /^"/, 'cache-control': 'private, no-cache' },
    check: ({ body }) => {
      const { id, url } = body as { id: string; url: string }
      assert.equal(url, `http://127.0.0.1:4000/api/v1/attachments/${id}/content`)
    },
  },
  {
    send: 'GET /api/v1/attachments/{a}/content',
    headers: { 'accept-encoding': 'br, gzip' },
    status: 200,
    replyHeaders: {
      'content-type': 'text/plain',
      'content-length': '5',
      'content-disposition': `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-encoding': null,
      etag: `"${HELLO}"`,
    },
    check: bytesAre(Buffer.from('Hello')),
  },
  {
    send: `POST ${UPLOADS}`,
    ...singleFileForm('Über “x”.PNG', Buffer.from([0, 255, 13, 10, 45, 45]), 'image/png; q="a b"'),
    status: 201,
    reply: { filename: 'Über “x”.PNG', content_type: 'image/png; q="a b"', size_bytes: 6 },
    events: ['attachment.created'],
    keep: { b: 'id' },
  },
  {
    send: 'GET /api/v1/attachments/{b}/content',
    status: 200,
    replyHeaders: {
      'content-disposition': `attachment; filename="Uber _x_.PNG"; filename*=UTF-8''%C3%9Cber%20%E2%80%9Cx%E2%80%9D.PNG`,
    },
    check: bytesAre(Buffer.from([0, 255, 13, 10, 45, 45])),
  },
  listStep(UPLOADS, ['a', 'b']),
  listStep(`${UPLOADS}?sort=-created_at`, ['b', 'a']),
  listStep(`${UPLOADS}?limit=1`, ['a'], { keep: { next: 'next_cursor' } }),
  listStep(`${UPLOADS}?limit=1&cursor={next}`, ['b']),
  count(2),
  {
    send: 'DELETE /api/v1/attachments/{a}',
    as: 'guest',
    status: 204,
    events: ['attachment.deleted'],
  },
  rejectedStep('GET /api/v1/attachments/{a}', 404, 'not_found'),
  rejectedStep('GET /api/v1/attachments/{a}/content', 404, 'not_found'),
  rejectedStep('DELETE /api/v1/attachments/{a}', 404, 'not_found'),
  listStep(UPLOADS, ['b']),
  count(1),
])

scenario('record and content have ETags and answer 304', [
  createTaskStep('T'),
  attached('a.txt', { keep: { a: 'id' } }),
  {
    send: 'GET /api/v1/attachments/{a}/content',
    headers: { 'if-none-match': `W/"${HELLO}"` },
    status: 304,
    replyHeaders: { etag: `"${HELLO}"`, 'cache-control': 'private, no-cache' },
  },
  {
    send: 'HEAD /api/v1/attachments/{a}/content',
    status: 200,
    replyHeaders: { 'content-length': '5', etag: `"${HELLO}"` },
    check: bytesAre(Buffer.alloc(0)),
  },
  { send: 'GET /api/v1/attachments/{a}', headers: { 'if-none-match': '*' }, status: 304 },
  rejectedStep('DELETE /api/v1/attachments/{a}', 412, 'version_mismatch', {
    headers: { 'if-match': '"other"' },
  }),
  {
    send: 'DELETE /api/v1/attachments/{a}',
    headers: { 'if-match': '*' },
    status: 204,
    events: ['attachment.deleted'],
  },
])

scenario('attachments follow the access of their task, and archived projects are read-only', [
  createTaskStep('T', { project_id: '{hidden}' }),
  attached('a.txt', { keep: { a: 'id' } }),
  rejectedStep('GET /api/v1/attachments/{a}', 404, 'not_found', { as: 'member' }),
  rejectedStep('GET /api/v1/attachments/{a}/content', 404, 'not_found', { as: 'stranger' }),
  rejectedStep(`POST ${UPLOADS}?filename=a`, 404, 'not_found', {
    as: 'guest',
    raw: Buffer.from('x'),
  }),
  {
    ...rejectedStep('DELETE /api/v1/attachments/{a}', 409, 'project_archived'),
    prepare: prepareProjectChange('hidden', { archived: true }),
  },
  rejectedStep(`POST ${UPLOADS}?filename=a`, 409, 'project_archived', { raw: Buffer.from('x') }),
  { send: 'GET /api/v1/attachments/{a}/content', status: 200 },
])

scenario('deleting a task hides its attachments, and restoring shows them again', [
  createTaskStep('T'),
  attached('a.txt', { keep: { a: 'id' } }),
  { send: 'DELETE /api/v1/tasks/{T}', status: 204, events: ['task.deleted'] },
  rejectedStep('GET /api/v1/attachments/{a}', 404, 'not_found'),
  rejectedStep('GET /api/v1/attachments/{a}/content', 404, 'not_found'),
  rejectedStep(UPLOADS.replace('/', 'GET /'), 404, 'not_found'),
  rejectedStep(`POST ${UPLOADS}?filename=a`, 404, 'not_found', { raw: Buffer.from('x') }),
  { send: 'POST /api/v1/tasks/{T}/restore', status: 200, events: ['task.updated'] },
  { send: 'GET /api/v1/attachments/{a}/content', status: 200 },
])

scenario('reading, writing and deleting attachments need separate scopes', [
  createTaskStep('T'),
  attached('a.txt', { keep: { a: 'id' }, as: ['attachments:write'] }),
  { send: 'GET /api/v1/attachments/{a}/content', as: ['attachments:read'], status: 200 },
  rejectedStep('GET /api/v1/attachments/{a}/content', 403, 'insufficient_scope', {
    as: ['attachments:write', 'tasks:read'],
  }),
  rejectedStep('DELETE /api/v1/attachments/{a}', 403, 'insufficient_scope', {
    as: ['attachments:write', 'attachments:read'],
  }),
  rejectedStep('DELETE /api/v1/attachments/{a}', 403, 'insufficient_role', { as: 'member' }),
])

scenario('the id of a file ends with the last letters of the key of a page', [
  createTaskStep('T'),
  attached('a.txt', {
    as: 'session',
    headers: { 'idempotency-key': 'page-abcdefgh' },
    check: (_, { 'a.txt': id = '' }) => assert.equal(id.slice(-8), 'abcdefgh'),
  }),
  attached('b.txt', {
    headers: { 'idempotency-key': 'program-abcdefgh' },
    check: (_, { 'b.txt': id = '' }) => assert.notEqual(id.slice(-8), 'abcdefgh'),
  }),
])

scenario('an idempotency key covers name, type and bytes of the file', [
  createTaskStep('T'),
  attached('a.txt', { headers: { 'idempotency-key': 'k' }, keep: { a: 'id' } }),
  attached('a.txt', {
    headers: { 'idempotency-key': 'k' },
    events: [],
    reply: { id: '{a}' },
    replyHeaders: { 'idempotency-replayed': 'true', location: /att_/ },
  }),
  count(1),
  rejectedStep(`POST ${UPLOADS}?filename=a.txt`, 422, 'idempotency_key_reused', {
    headers: { 'idempotency-key': 'k' },
    raw: Buffer.from('Other'),
  }),
  rejectedStep(`POST ${UPLOADS}?filename=a.txt`, 422, 'idempotency_key_reused', {
    headers: { 'idempotency-key': 'k', 'content-type': 'text/html' },
    raw: Buffer.from('Hello'),
  }),
  { send: 'DELETE /api/v1/tasks/{T}', status: 204, events: ['task.deleted'] },
  attached('a.txt', {
    headers: { 'idempotency-key': 'k' },
    events: [],
    reply: { id: '{a}', sha256: createHash('sha256').update('Hello').digest('hex') },
  }),
])
