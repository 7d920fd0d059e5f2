import { createTestClock } from '#test/support/clock.ts'
import { type Step, scenario } from '#test/support/scenario.ts'
import { changing, lists, made, refused, withStatuses } from '#test/support/steps.ts'

const remove = (name: string, events = ['task.deleted'], more: Partial<Step> = {}): Step => ({
  send: `DELETE /api/v1/tasks/{${name}}`,
  status: 204,
  events,
  ...more,
})
const restore = (name: string, more: Partial<Step> = {}): Step => ({
  send: `POST /api/v1/tasks/{${name}}/restore`,
  status: 200,
  events: ['task.updated'],
  ...more,
})

scenario('a deletion takes subtasks along, by depth and number, and a restore brings back those', [
  made('Top'),
  made('A', { parent_id: '{Top}' }),
  made('Low', { parent_id: '{A}' }),
  made('B', { parent_id: '{Top}', status: 'done' }),
  made('Before', { parent_id: '{Top}' }),
  remove('Before'),
  remove('Top', undefined, {
    events: [
      { type: 'task.deleted', data: { id: '{Top}', version: 2, subtask_count: 0 }, changes: {} },
      { type: 'task.deleted', data: { id: '{A}' } },
      { type: 'task.deleted', data: { id: '{B}' } },
      { type: 'task.deleted', data: { id: '{Low}' } },
    ],
  }),
  ...['Top', 'A', 'Low', 'B', 'Before'].map((name) =>
    refused(`GET /api/v1/tasks/{${name}}`, 404, 'not_found'),
  ),
  refused('DELETE /api/v1/tasks/{Top}', 404, 'not_found'),
  refused('PATCH /api/v1/tasks/ENG-1', 404, 'not_found', { body: { title: 'x' } }),
  refused('POST /api/v1/tasks/{Top}/complete', 404, 'not_found'),
  lists('/api/v1/projects/{project}/tasks', []),
  lists('/api/v1/projects/{project}/tasks?deleted=only', ['Top', 'A', 'Low', 'B', 'Before']),
  restore('Top', {
    reply: { deleted_at: null, subtask_count: 2, completed_subtask_count: 1, version: 3 },
    events: [
      { type: 'task.updated', data: { id: '{Top}' } },
      { type: 'task.updated', data: { id: '{A}', parent_id: '{Top}', subtask_count: 1 } },
      { type: 'task.updated', data: { id: '{B}', status: 'done' } },
      { type: 'task.updated', data: { id: '{Low}' } },
    ],
  }),
  lists('/api/v1/projects/{project}/tasks?deleted=include', ['Top', 'A', 'Low', 'B', 'Before']),
  {
    send: 'POST /api/v1/tasks/ENG-5/restore',
    status: 200,
    reply: { parent_id: '{Top}' },
    events: ['task.updated'],
  },
  restore('Top', { reply: { version: 3 }, replyHeaders: { 'x-operation-id': null }, events: [] }),
])

scenario('a restore tells when it was deleted', [
  made('Task'),
  remove('Task'),
  {
    send: 'GET /api/v1/tasks?deleted=only',
    status: 200,
    keep: { when: 'data.0.deleted_at' },
  },
  restore('Task', {
    body: {},
    events: [{ type: 'task.updated', changes: { deleted_at: { from: '{when}', to: null } } }],
  }),
])

scenario('a restored task whose parent is gone, or elsewhere, stands on its own', [
  made('Top'),
  made('Child', { parent_id: '{Top}' }),
  made('Low', { parent_id: '{Child}' }),
  remove('Child', ['task.deleted', 'task.deleted']),
  remove('Top'),
  restore('Child', {
    reply: { parent_id: null, subtask_count: 1 },
    events: ['task.updated', 'task.updated'],
  }),
  restore('Top', { reply: { subtask_count: 0 } }),
  made('Other', { parent_id: '{Top}' }),
  remove('Other'),
  {
    send: 'PATCH /api/v1/tasks/{Top}',
    body: { project_id: '{hidden}' },
    status: 200,
    events: ['task.updated'],
  },
  restore('Other', { reply: { parent_id: null, project_id: '{project}' } }),
])

scenario('a restored task that would come too deep stands on its own', [
  made('1'),
  made('2', { parent_id: '{1}' }),
  made('Task', { parent_id: '{2}' }),
  made('Child', { parent_id: '{Task}' }),
  remove('Task', ['task.deleted', 'task.deleted']),
  made('x'),
  made('y', { parent_id: '{x}' }),
  {
    send: 'PATCH /api/v1/tasks/{1}',
    body: { parent_id: '{y}' },
    status: 200,
    events: ['task.updated'],
  },
  restore('Task', { reply: { parent_id: null }, events: ['task.updated', 'task.updated'] }),
])

scenario('a subtask that was restored alone is not brought back again with its parent', [
  made('Top'),
  made('Child', { parent_id: '{Top}' }),
  remove('Top', ['task.deleted', 'task.deleted']),
  restore('Child', { reply: { parent_id: null } }),
  restore('Top', { reply: { subtask_count: 0 } }),
])

scenario('a restored task finds statuses and tags as they are by now', [
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'x' },
    status: 201,
    keep: { tag: 'id' },
  },
  made('Done', { status: 'done', tag_ids: ['{tag}'] }),
  made('Started', { status: 'in_review' }),
  made('Blocked', { blocked_by_ids: ['{Done}', '{Started}'] }),
  remove('Done'),
  remove('Started'),
  {
    send: 'GET /api/v1/tasks/{Blocked}',
    status: 200,
    reply: { blocked_by_ids: [], version: 1 },
  },
  { send: 'DELETE /api/v1/tags/{tag}', status: 204 },
  restore('Done', {
    prepare: withStatuses('project', [
      ['todo', 'unstarted'],
      ['done', 'started'],
      ['shipped', 'completed'],
    ]),
    reply: { status: 'done', status_category: 'started', completed_at: null, tag_ids: [] },
  }),
  restore('Started', { reply: { status: 'done', status_category: 'started' } }),
  {
    send: 'GET /api/v1/tasks/{Blocked}',
    status: 200,
    reply: { blocked_by_ids: ['{Done}', '{Started}'], version: 1 },
  },
])

scenario('running timers of a deleted task stop, and do not start again', [
  made('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/time-entries',
    body: { running: true },
    status: 201,
    keep: { entry: 'id' },
  },
  remove('Task', undefined, { events: ['task.deleted'] }),
  refused('GET /api/v1/time-entries/{entry}', 404, 'not_found'),
  restore('Task', { reply: { time_spent_seconds: 1 } }),
  { send: 'GET /api/v1/time-entries/{entry}', status: 200, reply: { is_running: false } },
])

scenario('guests delete and restore what they made', [
  made('Theirs'),
  made('Own', {}, { as: 'guest' }),
  refused('DELETE /api/v1/tasks/{Theirs}', 403, 'insufficient_role', { as: 'guest' }),
  remove('Own', undefined, { as: 'guest' }),
  remove('Theirs'),
  refused('POST /api/v1/tasks/{Theirs}/restore', 403, 'insufficient_role', { as: 'guest' }),
  restore('Own', { as: 'guest' }),
  refused('POST /api/v1/tasks/{Theirs}/restore', 404, 'not_found', { as: 'stranger' }),
  restore('Theirs', { as: 'member' }),
])

scenario('an archived project keeps its deleted tasks deleted', [
  made('Task'),
  made('Deleted'),
  remove('Deleted'),
  refused('POST /api/v1/tasks/{Deleted}/restore', 409, 'project_archived', {
    prepare: changing('project', { archived: true }),
  }),
  ...['DELETE /api/v1/tasks/{Task}', 'POST /api/v1/tasks/{Task}/restore'].map((send) =>
    refused(send, 409, 'project_archived'),
  ),
])

scenario('a rehearsed deletion and a rehearsed restore leave all as it was', [
  made('Task'),
  {
    send: 'DELETE /api/v1/tasks/{Task}?dry_run=true',
    status: 204,
    replyHeaders: { 'x-dry-run': 'true', 'x-operation-id': null },
  },
  { send: 'GET /api/v1/tasks/{Task}', status: 200, reply: { version: 1 } },
  remove('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/restore?dry_run=true',
    status: 200,
    reply: { deleted_at: null, version: 3 },
    replyHeaders: { 'x-dry-run': 'true', etag: null },
  },
  refused('GET /api/v1/tasks/{Task}', 404, 'not_found'),
])

const DAY_MS = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** Time passes before a step. */
const later = (days: number) => async () => clock.advance(days * DAY_MS)

scenario(
  'after thirty days there is nothing to restore',
  [
    made('Task'),
    remove('Task'),
    lists('/api/v1/tasks?deleted=only', ['Task'], { prepare: later(29.9) }),
    lists('/api/v1/tasks?deleted=only', [], { prepare: later(0.2) }),
    lists('/api/v1/tasks?deleted=include', []),
    refused('POST /api/v1/tasks/{Task}/restore', 404, 'not_found'),
  ],
  {},
  { clock },
)

const group = (parent: string, count: number): Step => ({
  send: 'POST /api/v1/tasks/bulk',
  body: {
    operations: Array.from({ length: count }, (_, at) => {
      return { op: 'create', data: { project_id: '{project}', title: `${at}`, parent_id: parent } }
    }),
  },
  status: 200,
  events: Array(count).fill('task.created'),
})

scenario('a task takes a thousand subtasks along, and not one more', [
  made('Top'),
  ...Array.from({ length: 10 }, () => group('{Top}', 100)),
  made('Last', { parent_id: '{Top}' }),
  refused('DELETE /api/v1/tasks/{Top}', 409, 'limit_reached'),
  refused('PATCH /api/v1/tasks/{Top}', 409, 'limit_reached', { body: { project_id: '{hidden}' } }),
  remove('Last'),
  {
    send: 'PATCH /api/v1/tasks/{Top}',
    body: { project_id: '{hidden}' },
    status: 200,
    events: Array(1001).fill('task.updated'),
    reply: { subtask_count: 1000 },
  },
  remove('Top', Array(1001).fill('task.deleted')),
  restore('Top', { events: Array(1001).fill('task.updated') }),
])
