import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'

const COMMENTS = '/api/v1/tasks/{task}/comments'
const aComment = {
  send: `POST ${COMMENTS}`,
  body: { body: 'First' },
  status: 201,
  events: ['comment.created'],
}

scenario('lists comments in order, filtered by author and change', [
  CREATE_TASK_STEP,
  { ...aComment, keep: { comment: 'id' } },
  { ...aComment, as: 'member', keep: { second: 'id' } },
  { ...aComment, as: 'guest', keep: { third: 'id', since: 'updated_at' } },
  {
    send: `GET ${COMMENTS}?limit=2`,
    status: 200,
    reply: { data: [{ id: '{comment}' }, { id: '{second}' }], has_more: true },
    keep: { next: 'next_cursor' },
  },
  {
    send: `GET ${COMMENTS}?limit=2&cursor={next}`,
    status: 200,
    reply: { data: [{ id: '{third}' }], has_more: false, next_cursor: null },
  },
  {
    send: `GET ${COMMENTS}?sort=-created_at&limit=1`,
    status: 200,
    reply: { data: [{ id: '{third}' }] },
    keep: { down: 'next_cursor' },
  },
  {
    send: `GET ${COMMENTS}?sort=-created_at&limit=1&cursor={down}`,
    status: 200,
    reply: { data: [{ id: '{second}' }], has_more: true },
  },
  ...[
    ['author_id={member}', '{second}'],
    ['updated_since={since}&author_id={guest}', '{third}'],
  ].map(([filter, id]) => ({
    send: `GET ${COMMENTS}?${filter}`,
    status: 200,
    reply: { data: [{ id }] },
    check: ({ body }: { body: unknown }) =>
      assert.equal((body as { data: unknown[] }).data.length, 1),
  })),
  {
    send: `GET ${COMMENTS}?author_id=me`,
    as: 'guest',
    status: 200,
    reply: { data: [{ id: '{third}' }] },
  },
  { send: `GET ${COMMENTS}?updated_since=9999-01-01T00:00:00Z`, status: 200, reply: { data: [] } },
  { send: `GET ${COMMENTS}?author_id=you`, status: 400 },
  { send: `GET ${COMMENTS}?sort=updated_at`, status: 400 },
])
