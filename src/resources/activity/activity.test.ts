import assert from 'node:assert/strict'
import { type ScenarioReply, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  rejectedStep,
  tagStep,
} from '#test/support/scenario/steps.ts'

interface ActivityPage {
  data: { kind: string; actor: { id: string | null }; changes: Record<string, unknown> }[]
  next_cursor: string | null
}

const kinds = ({ body }: ScenarioReply) => (body as ActivityPage).data.map(({ kind }) => kind)

scenario('records each change of a task with its actor and the changed fields', [
  createTaskStep('A'),
  { send: 'PATCH /api/v1/tasks/{A}?dry_run=true', body: { title: 'Dry' }, status: 200 },
  patchTaskStep('A', { priority: 'high', title: 'B' }, { as: 'member' }),
  { send: 'PATCH /api/v1/tasks/{A}', body: { title: 'B' }, status: 200 },
  patchTaskStep('A', { assignee_ids: ['{member}'] }, { as: 'session', events: ['task.assigned'] }),
  {
    send: 'POST /api/v1/tasks/{A}/complete',
    as: 'session',
    status: 200,
    events: ['task.completed'],
  },
  patchTaskStep('A', { status: 'todo' }),
  {
    send: 'GET /internal/tasks/{A}/activity',
    as: 'guest session',
    status: 200,
    reply: {
      data: [
        { kind: 'created', actor: { type: 'user', id: '{owner}', name: 'The owner' }, changes: {} },
        {
          kind: 'updated',
          actor: { type: 'api_key', id: '{member}', name: 'The member', credential_name: 'test' },
          changes: { priority: { from: 'none', to: 'high' }, title: { from: 'A', to: 'B' } },
        },
        { kind: 'assigned', actor: { type: 'user', credential_name: null } },
        { kind: 'completed' },
        { kind: 'reopened' },
      ],
      has_more: false,
    },
  },
  {
    send: 'GET /internal/tasks/{A}/activity?limit=2&sort=-created_at',
    as: 'session',
    status: 200,
    check: (reply) => assert.deepEqual(kinds(reply), ['reopened', 'completed']),
    keep: { cursor: 'next_cursor' },
  },
  {
    send: 'GET /internal/tasks/{A}/activity?limit=200&sort=-created_at&cursor={cursor}',
    as: 'session',
    status: 200,
    check: (reply) => assert.deepEqual(kinds(reply), ['assigned', 'updated', 'created']),
  },
  rejectedStep('GET /internal/tasks/{project}/activity', 404, 'not_found', { as: 'session' }),
])

scenario('records deletion, restore, move, comments and attachments of a task', [
  createTaskStep('A'),
  createTaskStep('B', { parent_id: '{A}' }),
  createTaskStep('C'),
  {
    send: 'POST /api/v1/tasks/{A}/comments',
    body: { body: 'No' },
    status: 201,
    events: ['comment.created'],
    keep: { comment: 'id' },
  },
  { send: 'DELETE /api/v1/comments/{comment}', status: 204, events: ['comment.deleted'] },
  {
    send: 'POST /api/v1/tasks/{A}/attachments?filename=a.txt',
    raw: Buffer.from('A'),
    headers: { 'content-type': 'text/plain' },
    status: 201,
    events: ['attachment.created'],
    keep: { file: 'id' },
  },
  { send: 'DELETE /api/v1/attachments/{file}', status: 204, events: ['attachment.deleted'] },
  { send: 'DELETE /api/v1/tasks/{A}', status: 204, events: ['task.deleted', 'task.deleted'] },
  rejectedStep('GET /internal/tasks/{A}/activity', 404, 'not_found', { as: 'session' }),
  {
    send: 'POST /api/v1/tasks/{A}/restore',
    status: 200,
    events: ['task.updated', 'task.updated'],
  },
  patchTaskStep('C', { before_id: '{A}' }),
  {
    send: 'GET /internal/tasks/{C}/activity',
    as: 'session',
    status: 200,
    check: (reply) => assert.deepEqual(kinds(reply), ['created']),
  },
  patchTaskStep('A', { project_id: '{hidden}' }, { events: ['task.updated', 'task.updated'] }),
  {
    send: 'GET /internal/tasks/{A}/activity',
    as: 'session',
    status: 200,
    check: (reply) => {
      const { data } = reply.body as ActivityPage
      assert.deepEqual(kinds(reply), [
        'created',
        'comment_deleted',
        'attachment_deleted',
        'deleted',
        'restored',
        'moved',
      ])
      assert.deepEqual(data[2]?.changes, { filename: { from: 'a.txt', to: null } })
      assert.deepEqual(data[4]?.changes, {})
      assert.ok('project_id' in (data[5]?.changes ?? {}))
    },
  },
  {
    send: 'GET /internal/tasks/{B}/activity',
    as: 'session',
    status: 200,
    check: (reply) => assert.deepEqual(kinds(reply), ['created', 'deleted', 'restored', 'moved']),
  },
  rejectedStep('GET /internal/tasks/{A}/activity', 404, 'not_found', { as: 'member session' }),
])

const changesOf = ({ body }: ScenarioReply) => (body as ActivityPage).data.at(-1)?.changes ?? {}

scenario('shows of a move nothing of a former project that the reader does not see', [
  tagStep('hidden', 'secret', 'tag'),
  createTaskStep('A', { project_id: '{hidden}', tag_ids: ['{tag}'] }),
  createTaskStep('B', { project_id: '{hidden}', parent_id: '{A}' }),
  patchTaskStep(
    'A',
    { project_id: '{project}', title: 'Public' },
    { events: ['task.updated', 'task.updated'] },
  ),
  {
    send: 'GET /internal/tasks/{A}/activity',
    as: 'member session',
    status: 200,
    check: (reply) => {
      const { title, project_id, ...others } = changesOf(reply)
      assert.deepEqual(title, { from: 'A', to: 'Public' })
      assert.equal((project_id as { from: unknown }).from, null)
      assert.deepEqual(others, {
        short_id: { from: null, to: 'ENG-1' },
        tag_ids: { from: null, to: [] },
      })
    },
  },
  {
    send: 'GET /internal/tasks/{B}/activity?limit=1&sort=-created_at',
    as: 'member session',
    status: 200,
    check: (reply) => assert.deepEqual(changesOf(reply).short_id, { from: null, to: 'ENG-2' }),
  },
  {
    send: 'GET /internal/tasks/{A}/activity',
    as: 'session',
    status: 200,
    check: (reply) => assert.deepEqual(changesOf(reply).short_id, { from: 'HID-1', to: 'ENG-1' }),
  },
])
