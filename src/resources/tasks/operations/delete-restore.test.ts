import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  prepareProjectChange,
  prepareStatuses,
  rejectedStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

const remove = (
  name: string,
  events = ['task.deleted'],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `DELETE /api/v1/tasks/{${name}}`,
  status: 204,
  events,
  ...more,
})
const restore = (name: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${name}}/restore`,
  status: 200,
  events: ['task.updated'],
  ...more,
})

scenario('deletes subtasks too, ordered by depth and number, and restores the same ones', [
  createTaskStep('Top'),
  createTaskStep('A', { parent_id: '{Top}' }),
  createTaskStep('Low', { parent_id: '{A}' }),
  createTaskStep('B', { parent_id: '{Top}', status: 'done' }),
  createTaskStep('Before', { parent_id: '{Top}' }),
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
    rejectedStep(`GET /api/v1/tasks/{${name}}`, 404, 'not_found'),
  ),
  rejectedStep('DELETE /api/v1/tasks/{Top}', 404, 'not_found'),
  rejectedStep('PATCH /api/v1/tasks/ENG-1', 404, 'not_found', { body: { title: 'x' } }),
  rejectedStep('POST /api/v1/tasks/{Top}/complete', 404, 'not_found'),
  listStep('/api/v1/projects/{project}/tasks', []),
  listStep('/api/v1/projects/{project}/tasks?deleted=only', ['Top', 'A', 'Low', 'B', 'Before']),
  restore('Top', {
    reply: { deleted_at: null, subtask_count: 2, completed_subtask_count: 1, version: 3 },
    events: [
      { type: 'task.updated', data: { id: '{Top}' } },
      { type: 'task.updated', data: { id: '{A}', parent_id: '{Top}', subtask_count: 1 } },
      { type: 'task.updated', data: { id: '{B}', status: 'done' } },
      { type: 'task.updated', data: { id: '{Low}' } },
    ],
  }),
  listStep('/api/v1/projects/{project}/tasks?deleted=include', ['Top', 'A', 'Low', 'B', 'Before']),
  {
    send: 'POST /api/v1/tasks/ENG-5/restore',
    status: 200,
    reply: { parent_id: '{Top}' },
    events: ['task.updated'],
  },
  restore('Top', { reply: { version: 3 }, replyHeaders: { 'x-operation-id': null }, events: [] }),
])

scenario('the event of a restore holds the former deleted_at', [
  createTaskStep('Task'),
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

scenario('restores a task without its parent if that is deleted or in another project', [
  createTaskStep('Top'),
  createTaskStep('Child', { parent_id: '{Top}' }),
  createTaskStep('Low', { parent_id: '{Child}' }),
  remove('Child', ['task.deleted', 'task.deleted']),
  remove('Top'),
  restore('Child', {
    reply: { parent_id: null, subtask_count: 1 },
    events: ['task.updated', 'task.updated'],
  }),
  restore('Top', { reply: { subtask_count: 0 } }),
  createTaskStep('Other', { parent_id: '{Top}' }),
  remove('Other'),
  {
    send: 'PATCH /api/v1/tasks/{Top}',
    body: { project_id: '{hidden}' },
    status: 200,
    events: ['task.updated'],
  },
  restore('Other', { reply: { parent_id: null, project_id: '{project}' } }),
])

scenario('restores a task without its parent if it would be too deep', [
  createTaskStep('1'),
  createTaskStep('2', { parent_id: '{1}' }),
  createTaskStep('Task', { parent_id: '{2}' }),
  createTaskStep('Child', { parent_id: '{Task}' }),
  remove('Task', ['task.deleted', 'task.deleted']),
  createTaskStep('x'),
  createTaskStep('y', { parent_id: '{x}' }),
  {
    send: 'PATCH /api/v1/tasks/{1}',
    body: { parent_id: '{y}' },
    status: 200,
    events: ['task.updated'],
  },
  restore('Task', { reply: { parent_id: null }, events: ['task.updated', 'task.updated'] }),
])

scenario('does not restore a subtask twice with its parent', [
  createTaskStep('Top'),
  createTaskStep('Child', { parent_id: '{Top}' }),
  remove('Top', ['task.deleted', 'task.deleted']),
  restore('Child', { reply: { parent_id: null } }),
  restore('Top', { reply: { subtask_count: 0 } }),
])

scenario('maps statuses and tags of a restored task to present ones', [
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'x' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  createTaskStep('Done', { status: 'done', tag_ids: ['{tag}'] }),
  createTaskStep('Started', { status: 'in_review' }),
  createTaskStep('Blocked', { blocked_by_ids: ['{Done}', '{Started}'] }),
  remove('Done'),
  remove('Started'),
  {
    send: 'GET /api/v1/tasks/{Blocked}',
    status: 200,
    reply: { blocked_by_ids: [], version: 1 },
  },
  { send: 'DELETE /api/v1/tags/{tag}', status: 204, events: ['tag.deleted'] },
  restore('Done', {
    prepare: prepareStatuses('project', [
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

scenario('stops timers of a deleted task for good', [
  createTaskStep('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/time-entries',
    body: { running: true },
    status: 201,
    events: ['time_entry.created'],
    keep: { entry: 'id' },
  },
  remove('Task', undefined, {
    events: [
      { type: 'task.deleted', data: { time_spent_seconds: 1 } },
      {
        type: 'time_entry.updated',
        project_id: '{project}',
        data: { id: '{entry}', task_id: '{Task}', is_running: false, duration_seconds: 1 },
      },
    ],
  }),
  rejectedStep('GET /api/v1/time-entries/{entry}', 404, 'not_found'),
  restore('Task', { reply: { time_spent_seconds: 1 } }),
  { send: 'GET /api/v1/time-entries/{entry}', status: 200, reply: { is_running: false } },
])

scenario('guests delete and restore only tasks that they created', [
  createTaskStep('Theirs'),
  createTaskStep('Own', {}, { as: 'guest' }),
  rejectedStep('DELETE /api/v1/tasks/{Theirs}', 403, 'insufficient_role', { as: 'guest' }),
  remove('Own', undefined, { as: 'guest' }),
  remove('Theirs'),
  rejectedStep('POST /api/v1/tasks/{Theirs}/restore', 403, 'insufficient_role', { as: 'guest' }),
  restore('Own', { as: 'guest' }),
  rejectedStep('POST /api/v1/tasks/{Theirs}/restore', 404, 'not_found', { as: 'stranger' }),
  restore('Theirs', { as: 'member' }),
])

scenario('guests neither delete nor restore the subtasks of others with a task of their own', [
  createTaskStep('Own', {}, { as: 'guest' }),
  createTaskStep('Child', { parent_id: '{Own}' }, { as: 'guest' }),
  createTaskStep('Theirs'),
  {
    send: 'PATCH /api/v1/tasks/{Theirs}',
    as: 'guest',
    body: { parent_id: '{Child}' },
    status: 200,
    events: ['task.updated'],
  },
  rejectedStep('DELETE /api/v1/tasks/{Own}', 403, 'insufficient_role', { as: 'guest' }),
  {
    send: 'POST /api/v1/tasks/bulk',
    as: 'guest',
    body: { atomic: false, operations: [{ op: 'delete', id: '{Own}' }] },
    status: 200,
    reply: { failed: 1, results: [{ status: 403, error: { code: 'insufficient_role' } }] },
    events: [],
  },
  { send: 'GET /api/v1/tasks/{Theirs}', status: 200, reply: { parent_id: '{Child}' } },
  remove('Own', Array(3).fill('task.deleted'), { as: 'member' }),
  rejectedStep('POST /api/v1/tasks/{Own}/restore', 403, 'insufficient_role', { as: 'guest' }),
  restore('Own', { as: 'member', events: Array(3).fill('task.updated') }),
  {
    send: 'PATCH /api/v1/tasks/{Theirs}',
    as: 'guest',
    body: { parent_id: null },
    status: 200,
    events: ['task.updated'],
  },
  remove('Own', Array(2).fill('task.deleted'), { as: 'guest' }),
  restore('Own', { as: 'guest', events: Array(2).fill('task.updated') }),
])

scenario('restores no task in an archived project', [
  createTaskStep('Task'),
  createTaskStep('Deleted'),
  remove('Deleted'),
  rejectedStep('POST /api/v1/tasks/{Deleted}/restore', 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
  }),
  ...['DELETE /api/v1/tasks/{Task}', 'POST /api/v1/tasks/{Task}/restore'].map((send) =>
    rejectedStep(send, 409, 'project_archived'),
  ),
])

scenario('a dry run of delete and restore changes nothing', [
  createTaskStep('Task'),
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
  rejectedStep('GET /api/v1/tasks/{Task}', 404, 'not_found'),
])

const DAY_MS = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** Advances the clock before a step. */
const later = (days: number) => async () => clock.advance(days * DAY_MS)

scenario(
  'a task cannot be restored after 30 days',
  [
    createTaskStep('Task'),
    remove('Task'),
    listStep('/api/v1/tasks?deleted=only', ['Task'], { prepare: later(29.9) }),
    listStep('/api/v1/tasks?deleted=only', [], { prepare: later(0.2) }),
    listStep('/api/v1/tasks?deleted=include', []),
    rejectedStep('POST /api/v1/tasks/{Task}/restore', 404, 'not_found'),
  ],
  {},
  { clock },
)

const group = (parent: string, count: number): ScenarioStep => ({
  send: 'POST /api/v1/tasks/bulk',
  body: {
    operations: Array.from({ length: count }, (_, at) => {
      return { op: 'create', data: { project_id: '{project}', title: `${at}`, parent_id: parent } }
    }),
  },
  status: 200,
  events: Array(count).fill('task.created'),
})

scenario('deletes at most 1,000 subtasks with a task', [
  createTaskStep('Top'),
  ...Array.from({ length: 10 }, () => group('{Top}', 100)),
  createTaskStep('Last', { parent_id: '{Top}' }),
  rejectedStep('DELETE /api/v1/tasks/{Top}', 409, 'limit_reached', {
    reply: {
      error: { message: 'A task with more than 1000 subtasks cannot be deleted.' },
    },
  }),
  rejectedStep('PATCH /api/v1/tasks/{Top}', 409, 'limit_reached', {
    body: { project_id: '{hidden}' },
  }),
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
