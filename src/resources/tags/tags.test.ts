import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'

const TAGS = '/api/v1/projects/{project}/tags'

scenario('creates, reads, updates, lists and deletes a tag', [
  {
    send: `POST ${TAGS}`,
    body: { name: '  Urgent ', color: '#FF0000' },
    status: 201,
    reply: { name: 'Urgent', color: '#ff0000', task_count: 0, created_by_id: '{owner}' },
    events: [
      {
        type: 'tag.created',
        project_id: '{project}',
        data: { name: 'Urgent', created_by_id: '{owner}' },
        changes: {},
      },
    ],
    replyHeaders: {
      location: /\/api\/v1\/tags\/tag_/,
      etag: /^"[0-9a-z]+-[0-9a-f]{8}"$/,
      'x-operation-id': /^opr_/,
      'cache-control': 'private, no-cache',
    },
    keep: { tag: 'id' },
  },
  { send: 'GET /api/v1/tags/{tag}', status: 200, reply: { name: 'Urgent' } },
  {
    send: 'PATCH /api/v1/tags/{tag}',
    body: { name: 'Hot' },
    status: 200,
    reply: { name: 'Hot' },
    events: [
      {
        type: 'tag.updated',
        project_id: '{project}',
        data: { id: '{tag}', name: 'Hot' },
        changes: { name: { from: 'Urgent', to: 'Hot' } },
      },
    ],
  },
  {
    send: 'PATCH /api/v1/tags/{tag}',
    body: {},
    status: 200,
    replyHeaders: { 'x-operation-id': null },
  },
  { send: `GET ${TAGS}`, status: 200, reply: { data: [{ name: 'Hot' }], has_more: false } },
  {
    send: 'DELETE /api/v1/tags/{tag}',
    status: 204,
    events: [
      {
        type: 'tag.deleted',
        project_id: '{project}',
        data: { id: '{tag}', name: 'Hot' },
        changes: {},
      },
    ],
  },
  { send: 'GET /api/v1/tags/{tag}', status: 404, reply: { error: { code: 'not_found' } } },
  { send: 'DELETE /api/v1/tags/{tag}', status: 404 },
])

scenario('tag names are unique in a project, ignoring case', [
  {
    send: `POST ${TAGS}`,
    body: { name: 'Überfällig' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  {
    send: `POST ${TAGS}`,
    body: { name: 'ÜBERFÄLLIG' },
    status: 409,
    reply: { error: { code: 'tag_exists', details: [{ resource_id: '{tag}' }] } },
  },
  {
    send: 'PATCH /api/v1/tags/{tag}',
    body: { name: 'ÜBERfällig' },
    status: 200,
    events: ['tag.updated'],
  },
])

scenario('returns all field errors at once', [
  {
    send: `POST ${TAGS}`,
    body: { nme: 'Urgent', color: 'red', task_count: 3 },
    status: 422,
    reply: {
      error: {
        type: 'validation_failed',
        details: [
          { field: 'name', code: 'required' },
          { field: 'nme', code: 'unknown_field' },
          { field: 'color', code: 'invalid_format' },
          { field: 'task_count', code: 'read_only_field' },
        ],
      },
    },
  },
  { send: `GET ${TAGS}?limit=201`, status: 400, reply: { error: { code: 'invalid_parameter' } } },
  { send: `GET ${TAGS}?colour=red`, status: 400 },
  { send: `GET ${TAGS}?limit=1&limit=1`, status: 400 },
  { send: `GET ${TAGS}?cursor=made-up`, status: 400, reply: { error: { code: 'invalid_cursor' } } },
  { send: `POST ${TAGS}`, body: '"no object"', status: 422 },
  { send: `POST ${TAGS}`, body: '{', status: 400, reply: { error: { code: 'invalid_json' } } },
])

scenario('lists tags page by page, sorted by name', [
  { send: `POST ${TAGS}`, body: { name: 'Two' }, status: 201, events: ['tag.created'] },
  { send: `POST ${TAGS}`, body: { name: 'one' }, status: 201, events: ['tag.created'] },
  {
    send: `GET ${TAGS}?limit=1`,
    status: 200,
    reply: { data: [{ name: 'one' }], has_more: true },
    keep: { next: 'next_cursor' },
  },
  {
    send: `GET ${TAGS}?limit=1&cursor={next}`,
    status: 200,
    reply: { data: [{ name: 'Two' }], has_more: false, next_cursor: null },
  },
  { send: `GET ${TAGS}?limit=1&sort=-name&cursor={next}`, status: 400 },
  {
    send: `GET ${TAGS}?sort=created_at`,
    status: 200,
    reply: { data: [{ name: 'Two' }, { name: 'one' }] },
  },
  { send: `GET ${TAGS}?q=tw`, status: 200, reply: { data: [{ name: 'Two' }], has_more: false } },
])

scenario('rejects users who may not see or change a tag', [
  {
    send: `POST ${TAGS}`,
    body: { name: 'ours' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  { send: 'GET /api/v1/tags/{tag}', as: 'stranger', status: 404 },
  { send: 'DELETE /api/v1/tags/{tag}', as: 'stranger', status: 404 },
  { send: `POST ${TAGS}`, as: 'stranger', body: { name: 'theirs' }, status: 404 },
  { send: `GET ${TAGS}`, as: 'nobody', status: 401 },
  { send: `POST ${TAGS}`, as: ['tags:read'], body: { name: 'x' }, status: 403 },
  rejectedStep('PATCH /api/v1/tags/{tag}', 403, 'insufficient_role', {
    as: 'guest',
    body: { name: 'x' },
  }),
  { send: 'GET /api/v1/projects/{hidden}/tags', as: 'member', status: 404 },
  { send: 'GET /api/v1/projects/{hidden}/tags', as: 'admin', status: 200 },
])

scenario('an idempotency key creates one tag', [
  {
    send: `POST ${TAGS}`,
    headers: { 'idempotency-key': 'k1' },
    body: { name: 'Once', color: '#000000' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  {
    send: `POST ${TAGS}`,
    headers: { 'idempotency-key': 'k1' },
    body: { color: '#000000', name: 'Once' },
    status: 201,
    reply: { id: '{tag}' },
    replyHeaders: { 'idempotency-replayed': 'true', location: /tag_/, etag: /./ },
  },
  rejectedStep(`POST ${TAGS}`, 422, 'idempotency_key_reused', {
    headers: { 'idempotency-key': 'k1' },
    body: { name: 'Twice' },
  }),
])

scenario('If-Match guards changes of a tag', [
  {
    send: `POST ${TAGS}`,
    body: { name: 'Old' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  rejectedStep('PATCH /api/v1/tags/{tag}', 412, 'version_mismatch', {
    headers: { 'if-match': '"0"' },
    body: { nme: 'New' },
  }),
  rejectedStep('PATCH /api/v1/tags/{tag}', 400, 'invalid_header', {
    headers: { 'if-match': 'none' },
    body: { name: 'New' },
  }),
  {
    send: 'DELETE /api/v1/tags/{tag}',
    headers: { 'if-match': '*' },
    status: 204,
    events: ['tag.deleted'],
  },
])

scenario('a dry run returns the result and changes nothing', [
  {
    send: `POST ${TAGS}?dry_run=true`,
    body: { name: 'Maybe' },
    status: 201,
    reply: { name: 'Maybe' },
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  { send: `GET ${TAGS}`, status: 200, reply: { data: [] } },
])
