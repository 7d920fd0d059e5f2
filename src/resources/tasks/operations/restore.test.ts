import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  patchTaskStep,
  prepareProjectChange,
  prepareStatuses,
  rejectedStep,
  restoreTaskStep,
  tagStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

scenario('the event of a restore holds the former deleted_at', [
  createTaskStep('Task'),
  deleteTaskStep('Task'),
  {
    send: 'GET /api/v1/tasks?deleted=only',
    status: 200,
    keep: { when: 'data.0.deleted_at' },
  },
  restoreTaskStep('Task', {
    body: {},
    events: [{ type: 'task.updated', changes: { deleted_at: { from: '{when}', to: null } } }],
  }),
])

scenario('restores a task without its parent if that is deleted or in another project', [
  createTaskStep('Top'),
  createTaskStep('Child', { parent_id: '{Top}' }),
  createTaskStep('Low', { parent_id: '{Child}' }),
  deleteTaskStep('Child', ['task.deleted', 'task.deleted']),
  deleteTaskStep('Top'),
  restoreTaskStep('Child', {
    reply: { parent_id: null, subtask_count: 1 },
    events: ['task.updated', 'task.updated'],
  }),
  restoreTaskStep('Top', { reply: { subtask_count: 0 } }),
  createTaskStep('Other', { parent_id: '{Top}' }),
  deleteTaskStep('Other'),
  patchTaskStep('Top', { project_id: '{hidden}' }),
  restoreTaskStep('Other', { reply: { parent_id: null, project_id: '{project}' } }),
])

scenario('restores a task without its parent if it would be too deep', [
  createTaskStep('1'),
  createTaskStep('2', { parent_id: '{1}' }),
  createTaskStep('Task', { parent_id: '{2}' }),
  createTaskStep('Child', { parent_id: '{Task}' }),
  deleteTaskStep('Task', ['task.deleted', 'task.deleted']),
  createTaskStep('x'),
  createTaskStep('y', { parent_id: '{x}' }),
  patchTaskStep('1', { parent_id: '{y}' }),
  restoreTaskStep('Task', { reply: { parent_id: null }, events: ['task.updated', 'task.updated'] }),
])

scenario('does not restore a subtask twice with its parent', [
  createTaskStep('Top'),
  createTaskStep('Child', { parent_id: '{Top}' }),
  deleteTaskStep('Top', ['task.deleted', 'task.deleted']),
  restoreTaskStep('Child', { reply: { parent_id: null } }),
  restoreTaskStep('Top', { reply: { subtask_count: 0 } }),
])

scenario('maps statuses and tags of a restored task to present ones', [
  tagStep('project', 'x', 'tag'),
  createTaskStep('Done', { status: 'done', tag_ids: ['{tag}'] }),
  createTaskStep('Started', { status: 'in_review' }),
  createTaskStep('Blocked', { blocked_by_ids: ['{Done}', '{Started}'] }),
  deleteTaskStep('Done'),
  deleteTaskStep('Started'),
  {
    send: 'GET /api/v1/tasks/{Blocked}',
    status: 200,
    reply: { blocked_by_ids: [], version: 1 },
  },
  { send: 'DELETE /api/v1/tags/{tag}', status: 204, events: ['tag.deleted'] },
  restoreTaskStep('Done', {
    prepare: prepareStatuses('project', [
      ['todo', 'unstarted'],
      ['done', 'started'],
      ['shipped', 'completed'],
    ]),
    reply: { status: 'done', status_category: 'started', completed_at: null, tag_ids: [] },
  }),
  restoreTaskStep('Started', { reply: { status: 'done', status_category: 'started' } }),
  {
    send: 'GET /api/v1/tasks/{Blocked}',
    status: 200,
    reply: { blocked_by_ids: ['{Done}', '{Started}'], version: 1 },
  },
])

scenario('restores no task in an archived project', [
  createTaskStep('Task'),
  createTaskStep('Deleted'),
  deleteTaskStep('Deleted'),
  rejectedStep('POST /api/v1/tasks/{Deleted}/restore', 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
  }),
  ...['DELETE /api/v1/tasks/{Task}', 'POST /api/v1/tasks/{Task}/restore'].map((send) =>
    rejectedStep(send, 409, 'project_archived'),
  ),
])

const DAY_MS = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** Advances the clock before a step. */
const later = (days: number) => async () => clock.advance(days * DAY_MS)

scenario(
  'a task cannot be restored after 30 days',
  [
    createTaskStep('Task'),
    deleteTaskStep('Task'),
    listStep('/api/v1/tasks?deleted=only', ['Task'], { prepare: later(29.9) }),
    listStep('/api/v1/tasks?deleted=only', [], { prepare: later(0.2) }),
    listStep('/api/v1/tasks?deleted=include', []),
    rejectedStep('POST /api/v1/tasks/{Task}/restore', 404, 'not_found'),
  ],
  {},
  { clock },
)
