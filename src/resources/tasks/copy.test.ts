import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario.ts'
import { changing, lists, made, refused } from '#test/support/steps.ts'
import type { Task } from './fields.ts'

const COPY = 'POST /internal/tasks/{Top}/copy'
const TREE = [
  made(
    'Top',
    { assignee_ids: ['{member}'], priority: 'high', due_date: '2026-05-01', status: 'done' },
    { events: ['task.created', 'task.assigned'] },
  ),
  made('Outside'),
  made('B', { parent_id: '{Top}', estimate_seconds: 60, blocked_by_ids: ['{Outside}'] }),
  made('A', {
    ...{ parent_id: '{Top}', before_id: '{B}', blocked_by_ids: ['{B}'] },
    custom_fields: { size: 3 },
  }),
  made('A1', { parent_id: '{A}', external_source: 'x', external_id: '1' }),
]

/** All tasks of the project by their titles, as a tree is written down. */
const shape = (body: unknown, since: number): string[] => {
  const { data } = body as { data: Task[] }
  const title = (id: string | null) => data.find((one) => one.id === id)?.title ?? '-'
  return data
    .filter(({ number }) => number > since)
    .map((task) => {
      const { parent_id, blocked_by_ids, status } = task
      return `${task.title} in ${title(parent_id)} after ${blocked_by_ids.map(title)} ${status}`
    })
}

scenario('a task is copied with all below it, linked among themselves', [
  ...TREE,
  {
    send: COPY,
    as: 'member session',
    status: 201,
    reply: {
      made: 4,
      task: {
        ...{ title: 'Top', status: 'todo', completed_at: null, priority: 'high' },
        ...{ assignee_ids: ['{member}'], due_date: '2026-05-01', subtask_count: 2 },
        ...{ completed_subtask_count: 0, created_by_id: '{member}' },
      },
    },
    events: [
      { type: 'task.created', data: { title: 'Top', subtask_count: 2 } },
      'task.assigned',
      { type: 'task.created', data: { title: 'A', custom_fields: { size: 3 } } },
      { type: 'task.created', data: { title: 'A1', external_id: null } },
      { type: 'task.created', data: { title: 'B', estimate_seconds: 60 } },
    ],
    keep: { copy: 'task.id' },
  },
  {
    send: 'GET /api/v1/projects/{project}/tasks',
    status: 200,
    check: ({ body }) =>
      assert.deepEqual(shape(body, 5), [
        'Top in - after  todo',
        'A in Top after B todo',
        'A1 in A after  todo',
        'B in Top after  todo',
      ]),
  },
  // The copies are taken away as one.
  { send: 'DELETE /api/v1/tasks/{copy}', status: 204, events: Array(4).fill('task.deleted') },
  lists('/api/v1/projects/{project}/tasks?sort=number', ['Top', 'Outside', 'B', 'A', 'A1']),
])

scenario('a copy keeps statuses if that is asked, and leaves subtasks if that is', [
  ...TREE,
  {
    send: COPY,
    as: 'session',
    body: { subtasks: false, keep_status: true },
    status: 201,
    reply: { made: 1, task: { status: 'done', completed_by_id: '{owner}', subtask_count: 0 } },
    events: ['task.created', 'task.assigned'],
  },
])

scenario('a copy with the same key is made once', [
  made('Top'),
  {
    send: COPY,
    as: 'session',
    headers: { 'idempotency-key': 'one' },
    status: 201,
    events: ['task.created'],
    keep: { copy: 'task.id' },
  },
  {
    send: COPY,
    as: 'session',
    headers: { 'idempotency-key': 'one' },
    status: 201,
    reply: { task: { id: '{copy}' } },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
])

scenario('what cannot be seen is not copied, nor anything in an archived project', [
  made('Secret', { project_id: '{hidden}' }),
  made('Top'),
  refused('POST /internal/tasks/{Secret}/copy', 404, 'not_found', { as: 'member session' }),
  refused(COPY, 409, 'project_archived', {
    as: 'session',
    prepare: changing('project', { archived: true }),
  }),
])

scenario('somebody who has left is not in the copy', [
  made('Top', { assignee_ids: ['{member}'] }, { events: ['task.created', 'task.assigned'] }),
  {
    send: 'DELETE /internal/members/{member}',
    as: 'session',
    status: 204,
    events: ['member.removed'],
  },
  {
    send: COPY,
    as: 'session',
    status: 201,
    reply: { task: { assignee_ids: [] } },
    events: ['task.created'],
  },
])
