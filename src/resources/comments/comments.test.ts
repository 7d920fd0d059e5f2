import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'

const COMMENTS = '/api/v1/tasks/{task}/comments'
const COMMENT = '/api/v1/comments/{comment}'

const aComment = {
  send: `POST ${COMMENTS}`,
  body: { body: 'First' },
  status: 201,
  keep: { comment: 'id' },
  events: ['comment.created'],
}

const count = (comment_count: number) => ({
  send: 'GET /api/v1/tasks/{task}',
  status: 200,
  reply: { comment_count, version: 1 },
})

scenario('creates, reads, edits, lists and deletes a comment', [
  CREATE_TASK_STEP,
  {
    send: 'POST /api/v1/tasks/eng-1/comments',
    as: 'guest',
    body: { body: '  Looks **good**\n' },
    status: 201,
    reply: {
      task_id: '{task}',
      author_id: '{guest}',
      author: { id: '{guest}', name: 'The guest', avatar_url: null },
      body: '  Looks **good**\n',
      parent_id: null,
      mentions: [],
      source: 'api',
      edited_at: null,
    },
    replyHeaders: {
      location: /\/api\/v1\/comments\/cmt_/,
      etag: /^"[0-9a-z]+-[0-9a-f]{8}"$/,
      'x-operation-id': /^opr_/,
    },
    events: ['comment.created'],
    keep: { comment: 'id', created: 'updated_at' },
  },
  count(1),
  { send: `GET ${COMMENT}`, status: 200, reply: { id: '{comment}' } },
  {
    send: `PATCH ${COMMENT}`,
    as: 'guest',
    body: { body: 'Looks bad' },
    status: 200,
    reply: { body: 'Looks bad' },
    events: [
      {
        type: 'comment.updated',
        project_id: '{project}',
        actor: { user_id: '{guest}' },
        data: { id: '{comment}', task_id: '{task}', body: 'Looks bad' },
      },
    ],
    check: ({ body }, { created }) => {
      const { edited_at, updated_at, created_at } = body as Record<string, string>
      assert.equal(edited_at, updated_at)
      assert.equal(created_at, created)
      assert.ok(String(updated_at) > String(created))
    },
    keep: { edited: 'updated_at' },
  },
  {
    send: `PATCH ${COMMENT}`,
    as: 'guest',
    body: { body: 'Looks bad' },
    status: 200,
    reply: { updated_at: '{edited}', edited_at: '{edited}' },
    replyHeaders: { 'x-operation-id': null },
  },
  {
    send: `PATCH ${COMMENT}`,
    as: 'guest',
    body: {},
    status: 200,
    reply: { edited_at: '{edited}' },
  },
  { send: `GET ${COMMENTS}`, status: 200, reply: { data: [{ id: '{comment}' }], has_more: false } },
  {
    send: `DELETE ${COMMENT}`,
    as: 'guest',
    status: 204,
    events: [
      {
        type: 'comment.deleted',
        project_id: '{project}',
        data: { id: '{comment}', author: { name: 'The guest' }, body: 'Looks bad' },
        changes: {},
      },
    ],
  },
  count(0),
  { send: `GET ${COMMENT}`, status: 404 },
  { send: `DELETE ${COMMENT}`, status: 404 },
  { send: `GET ${COMMENTS}`, status: 200, reply: { data: [] } },
])

scenario('rejects an empty body with all field errors at once', [
  CREATE_TASK_STEP,
  ...[
    [{}, 'body', 'required'],
    [{ body: null }, 'body', 'not_nullable'],
    [{ body: '' }, 'body', 'too_short'],
    [{ body: ' \n\t' }, 'body', 'too_short'],
    [{ body: 'x'.repeat(65_537) }, 'body', 'too_long'],
    [{ body: 'a\u0000b' }, 'body', 'invalid_characters'],
    [{ body: 5 }, 'body', 'invalid_type'],
    [{ body: 'x', author_id: '{owner}' }, 'author_id', 'read_only_field'],
    [{ body: 'x', text: 'x' }, 'text', 'unknown_field'],
    [{ body: 'x', parent_id: 'cmt_1' }, 'parent_id', 'invalid_reference'],
  ].map(([body, field, code]) => ({
    send: `POST ${COMMENTS}`,
    body,
    status: 422,
    reply: { error: { code: 'validation_failed', details: [{ field, code }] } },
  })),
  { ...aComment, body: { body: 'x'.repeat(65_536), parent_id: null } },
  {
    send: `PATCH ${COMMENT}`,
    body: { body: ' ', parent_id: null },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'body', code: 'too_short' },
          { field: 'parent_id', code: 'read_only_field' },
        ],
      },
    },
  },
  count(1),
])

scenario('replies have one level and outlive their parent', [
  CREATE_TASK_STEP,
  aComment,
  {
    ...aComment,
    body: { body: 'Second', parent_id: '{comment}' },
    reply: { parent_id: '{comment}' },
    keep: { reply: 'id' },
  },
  {
    send: `POST ${COMMENTS}`,
    body: { body: 'Third', parent_id: '{reply}' },
    status: 422,
    reply: { error: { details: [{ field: 'parent_id', code: 'too_deep' }] } },
  },
  { ...CREATE_TASK_STEP, keep: { other: 'id' } },
  {
    send: 'POST /api/v1/tasks/{other}/comments',
    body: { body: 'Astray', parent_id: '{comment}' },
    status: 422,
    reply: { error: { details: [{ field: 'parent_id', code: 'invalid_reference' }] } },
  },
  { send: `DELETE ${COMMENT}`, status: 204, events: ['comment.deleted'] },
  {
    send: `GET ${COMMENTS}`,
    status: 200,
    reply: { data: [{ id: '{reply}', parent_id: '{comment}' }] },
    check: ({ body }) => assert.equal((body as { data: [] }).data.length, 1),
  },
  {
    send: `POST ${COMMENTS}`,
    body: { body: 'Late', parent_id: '{comment}' },
    status: 422,
    reply: { error: { details: [{ field: 'parent_id', code: 'invalid_reference' }] } },
  },
  count(1),
])

scenario('only authors edit comments; owners and admins delete them too', [
  CREATE_TASK_STEP,
  { ...aComment, as: 'member' },
  ...(['owner', 'admin', 'guest'] as const).map((as) => ({
    send: `PATCH ${COMMENT}`,
    as,
    body: { body: 5 },
    status: 403,
    reply: { error: { code: 'insufficient_role' } },
  })),
  { send: `DELETE ${COMMENT}`, as: 'guest', status: 403 },
  { send: `DELETE ${COMMENT}`, as: ['comments:write'], status: 403 },
  { send: `DELETE ${COMMENT}`, as: 'admin', status: 204, events: ['comment.deleted'] },
])

scenario('hides comments from users who do not see the task', [
  { ...CREATE_TASK_STEP, body: { project_id: '{hidden}', title: 'Secret' } },
  aComment,
  ...(['member', 'guest', 'stranger'] as const).flatMap((as) => [
    { send: `GET ${COMMENTS}`, as, status: 404 },
    { send: `POST ${COMMENTS}`, as, body: { body: '' }, status: 404 },
    { send: `GET ${COMMENT}`, as, status: 404 },
    { send: `PATCH ${COMMENT}`, as, body: { body: 'x' }, status: 404 },
    { send: `DELETE ${COMMENT}`, as, status: 404 },
  ]),
  { send: `GET ${COMMENT}`, as: 'nobody', status: 401 },
  { send: `GET ${COMMENT}`, as: ['comments:write'], status: 403 },
  { send: `GET ${COMMENT}`, as: 'admin', status: 200 },
])

scenario('If-Match guards changes, and a dry run changes nothing', [
  CREATE_TASK_STEP,
  aComment,
  { send: `PATCH ${COMMENT}`, headers: { 'if-match': '"0"' }, body: { body: 5 }, status: 412 },
  { send: `DELETE ${COMMENT}`, headers: { 'if-match': '"0"' }, status: 412 },
  {
    send: `POST ${COMMENTS}?dry_run=true`,
    body: { body: 'Maybe' },
    status: 201,
    reply: { body: 'Maybe' },
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  { send: `PATCH ${COMMENT}?dry_run=true`, body: { body: 'x' }, status: 200, reply: { body: 'x' } },
  { send: `DELETE ${COMMENT}?dry_run=true`, status: 204 },
  { send: `GET ${COMMENT}`, status: 200, reply: { body: 'First' } },
  count(1),
  {
    send: `DELETE ${COMMENT}`,
    headers: { 'if-match': '*' },
    status: 204,
    events: ['comment.deleted'],
  },
])

scenario('answers 404 for the comments of a deleted task', [
  CREATE_TASK_STEP,
  aComment,
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'] },
  { send: `GET ${COMMENT}`, status: 404 },
  { send: `PATCH ${COMMENT}`, body: { body: 'x' }, status: 404 },
  { send: `DELETE ${COMMENT}`, status: 404 },
  { send: `GET ${COMMENTS}`, status: 404 },
  { send: `POST ${COMMENTS}`, body: { body: 'x' }, status: 404 },
])
