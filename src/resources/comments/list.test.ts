import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'

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

const ALL_COMMENTS = '/api/v1/comments'

const said = (task: string, keep: Record<string, string>): ScenarioStep => ({
  send: `POST /api/v1/tasks/${task}/comments`,
  body: { body: 'Said' },
  status: 201,
  events: ['comment.created'],
  keep,
})

const listing = (query: string, ...ids: string[]): ScenarioStep => ({
  send: `GET ${ALL_COMMENTS}?${query}`,
  status: 200,
  reply: { data: ids.map((id) => ({ id })) },
  check: ({ body }) => assert.equal((body as { data: [] }).data.length, ids.length, query),
})

const createTask = (title: string, more: object, keep: Record<string, string>): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  body: { title, project_id: '{project}', ...more },
  status: 201,
  events: ['task.created'],
  keep,
})

const UNKNOWN = '01k2m3n4p5q6r7s8t9v0w1x2y3'

scenario('lists the comments on all tasks that the person sees, in order and with every filter', [
  CREATE_TASK_STEP,
  createTask('Other', {}, { other: 'id', other_short: 'short_id' }),
  createTask('Hidden', { project_id: '{hidden}' }, { secret: 'id', secret_short: 'short_id' }),
  createTask('Deleted', {}, { gone: 'id' }),
  said('{task}', { one: 'id' }),
  { ...said('{other}', { two: 'id' }), as: 'guest' },
  said('{secret}', { three: 'id', third: 'created_at' }),
  said('{gone}', { four: 'id' }),
  said('{task}', { five: 'id', fifth: 'created_at' }),
  said('{task}', { removed: 'id' }),
  { send: 'DELETE /api/v1/tasks/{gone}', status: 204, events: ['task.deleted'] },
  { send: 'DELETE /api/v1/comments/{removed}', status: 204, events: ['comment.deleted'] },
  listing('', '{five}', '{three}', '{two}', '{one}'),
  listing('sort=created_at', '{one}', '{two}', '{three}', '{five}'),
  { ...listing('limit=2', '{five}', '{three}'), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', '{two}', '{one}'),
  { ...listing('limit=2', '{five}', '{two}'), as: 'member', keep: { next: 'next_cursor' } },
  { ...listing('limit=2&cursor={next}', '{one}'), as: 'member' },
  { ...listing('', '{five}', '{two}', '{one}'), as: 'guest' },
  listing('author_id={guest}', '{two}'),
  { ...listing('author_id=me', '{two}'), as: 'guest' },
  { ...listing('author_id={owner}', '{five}', '{one}'), as: 'member' },
  listing('task_id={task}', '{five}', '{one}'),
  listing('task_id={other_short}', '{two}'),
  listing('task_id={gone}'),
  listing('task_id=ENG-999'),
  listing(`task_id=tsk_${UNKNOWN}`),
  { ...listing('task_id={secret_short}'), as: 'member' },
  { ...listing('task_id={secret}'), as: 'guest' },
  listing('project_id={hidden}', '{three}'),
  listing('project_id={hidden},{project}&author_id=me', '{five}', '{three}', '{one}'),
  { ...listing('project_id={hidden}'), as: 'member' },
  listing(`project_id=prj_${UNKNOWN}`),
  listing('created_after={fifth}', '{five}'),
  listing('created_before={third}', '{two}', '{one}'),
  listing('created_after={third}&created_before={fifth}', '{three}'),
  {
    send: 'PATCH /api/v1/comments/{one}',
    body: { body: 'Said again' },
    status: 200,
    events: ['comment.updated'],
    keep: { again: 'updated_at' },
  },
  listing('updated_since={again}', '{one}'),
  listing('updated_since={again}&author_id={guest}'),
  listing('updated_since={third}&project_id={project}', '{five}', '{one}'),
  listing('updated_since={third}&task_id={other}'),
  { ...listing('updated_since={third}', '{five}', '{one}'), as: 'member' },
  { send: `GET ${ALL_COMMENTS}`, as: ['tasks:read'], status: 403 },
  { send: `GET ${ALL_COMMENTS}?task_id=ENG`, status: 400 },
  { send: `GET ${ALL_COMMENTS}?sort=updated_at`, status: 400 },
  { send: `GET ${ALL_COMMENTS}?sort=created_at&cursor={next}`, status: 400 },
])
