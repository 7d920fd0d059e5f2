import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  moveTaskStep,
  patchTaskStep,
  prepareStatuses,
  tagStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const undo = { body: { project_id: '{project}', undo_move: true } }

scenario('an undone move gives a task and its subtasks back what it took from them', [
  tagStep('project', 'Shared', 'shared'),
  tagStep('project', 'Only here', 'lost'),
  tagStep('hidden', 'SHARED', 'there'),
  {
    ...createTaskStep('Parent'),
    prepare: prepareStatuses('hidden', [
      ['open', 'unstarted'],
      ['closed', 'completed'],
    ]),
  },
  createTaskStep(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{shared}', '{lost}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_review',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  createTaskStep('Below', { parent_id: '{Task}', tag_ids: ['{lost}'], status: 'in_progress' }),
  createTaskStep('Last'),
  moveTaskStep('Task', 'hidden', {
    reply: { parent_id: null, tag_ids: ['{there}'], assignee_ids: ['{admin}'], status: 'open' },
    events: ['task.updated', 'task.updated'],
  }),
  moveTaskStep('Task', 'project', {
    ...undo,
    reply: {
      short_id: 'ENG-2',
      parent_id: '{Parent}',
      tag_ids: ['{shared}', '{lost}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_review',
      status_category: 'started',
    },
    events: [
      { type: 'task.updated', data: { id: '{Task}' } },
      { type: 'task.assigned', data: { id: '{Task}' } },
      {
        type: 'task.updated',
        data: {
          id: '{Below}',
          short_id: 'ENG-3',
          parent_id: '{Task}',
          tag_ids: ['{lost}'],
          status: 'in_progress',
        },
      },
    ],
  }),
  listStep('/api/v1/projects/{project}/tasks', ['Parent', 'Task', 'Below', 'Last']),
  { send: 'GET /api/v1/tasks/{Parent}', status: 200, reply: { subtask_count: 1 } },
])

scenario('an undone move leaves what somebody has changed since, and what is gone', [
  tagStep('project', 'Kept', 'kept'),
  tagStep('project', 'Deleted', 'deleted'),
  tagStep('project', 'Removed', 'removed'),
  tagStep('hidden', 'Removed', 'there'),
  tagStep('hidden', 'New', 'new'),
  {
    ...createTaskStep('Parent'),
    prepare: prepareStatuses('hidden', [
      ['open', 'unstarted'],
      ['closed', 'completed'],
    ]),
  },
  createTaskStep('First'),
  createTaskStep(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{kept}', '{deleted}', '{removed}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_progress',
      before_id: '{First}',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  moveTaskStep('Task', 'hidden', { reply: { status: 'open', tag_ids: ['{there}'] } }),
  patchTaskStep(
    'Task',
    { status: 'closed', tag_ids: ['{new}'], assignee_ids: ['{owner}'] },
    { events: ['task.completed', 'task.assigned'] },
  ),
  createTaskStep('Squatter', { before_id: '{First}' }),
  { send: 'DELETE /api/v1/tags/{deleted}', status: 204, events: ['tag.deleted'] },
  { send: 'DELETE /api/v1/tasks/{Parent}', status: 204, events: ['task.deleted'] },
  moveTaskStep('Task', 'project', {
    ...undo,
    reply: {
      parent_id: null,
      tag_ids: ['{kept}'],
      assignee_ids: ['{owner}', '{guest}'],
      status: 'done',
      status_category: 'completed',
    },
    events: ['task.updated', 'task.assigned'],
  }),
  listStep('/api/v1/projects/{project}/tasks', ['Squatter', 'First', 'Task']),
])

scenario('fields of the request override what an undone move gives back', [
  tagStep('project', 'Only here', 'lost'),
  createTaskStep('First'),
  createTaskStep('Task', { tag_ids: ['{lost}'], parent_id: '{First}' }),
  createTaskStep('Last'),
  moveTaskStep('Task', 'hidden'),
  moveTaskStep('Task', 'project', {
    body: { ...undo.body, tag_ids: [], parent_id: null, after_id: '{Last}' },
    reply: { tag_ids: [], parent_id: null },
  }),
  listStep('/api/v1/projects/{project}/tasks', ['First', 'Last', 'Task']),
])

scenario('a chosen place is not taken by a subtask that was there before', [
  createTaskStep('Task'),
  createTaskStep('First'),
  createTaskStep('Last'),
  createTaskStep('Below', { parent_id: '{Task}', after_id: '{First}' }),
  moveTaskStep('Task', 'hidden', { events: ['task.updated', 'task.updated'] }),
  moveTaskStep('Task', 'project', {
    body: { ...undo.body, after_id: '{First}' },
    events: ['task.updated', 'task.updated'],
  }),
  listStep('/api/v1/projects/{project}/tasks', ['First', 'Task', 'Last', 'Below']),
])

scenario('a move that is not the last one is not undone', [
  tagStep('project', 'Only here', 'lost'),
  createTaskStep('Task', { tag_ids: ['{lost}'] }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { undo_move: true },
    { project_id: 'conflicting_fields' },
  ),
  moveTaskStep('Task', 'hidden', { body: { project_id: '{hidden}', undo_move: true } }),
  moveTaskStep('Task', 'project', { reply: { tag_ids: [] } }),
  // The last move came from `hidden`, and took nothing.
  { send: 'PATCH /api/v1/tasks/{Task}', body: undo.body, status: 200, events: [] },
  moveTaskStep('Task', 'hidden', { ...undo, body: { project_id: '{hidden}', undo_move: true } }),
  moveTaskStep('Task', 'project', { ...undo, reply: { tag_ids: [] } }),
])

scenario('a subtask that was not moved along keeps what it has', [
  tagStep('project', 'Only here', 'lost'),
  createTaskStep('Early', { tag_ids: ['{lost}'] }),
  createTaskStep('Task', { tag_ids: ['{lost}'] }),
  moveTaskStep('Early', 'hidden'),
  moveTaskStep('Task', 'hidden'),
  patchTaskStep('Early', { parent_id: '{Task}' }),
  moveTaskStep('Task', 'project', {
    ...undo,
    reply: { tag_ids: ['{lost}'] },
    events: ['task.updated', { type: 'task.updated', data: { id: '{Early}', tag_ids: [] } }],
  }),
])

scenario('an undone move gives a place back that has the same rank in both projects', [
  createTaskStep('First'),
  createTaskStep('Below', { parent_id: '{First}' }),
  createTaskStep('Last'),
  moveTaskStep('First', 'hidden', { events: ['task.updated', 'task.updated'] }),
  moveTaskStep('First', 'project', { ...undo, events: ['task.updated', 'task.updated'] }),
  listStep('/api/v1/projects/{project}/tasks', ['First', 'Below', 'Last']),
])

scenario('an undone move leaves a task that another operation of the same request has moved', [
  createTaskStep('Task'),
  {
    send: 'POST /internal/projects',
    as: 'session',
    body: { name: 'Other', prefix: 'OTH' },
    status: 201,
    events: ['project.created'],
    keep: { other: 'id' },
  },
  tagStep('other', 'Only there', 'kept'),
  createTaskStep('Other', { project_id: '{other}', tag_ids: ['{kept}'] }),
  createTaskStep('Parent'),
  createTaskStep(
    'Own',
    { parent_id: '{Parent}', assignee_ids: ['{guest}'] },
    {
      events: ['task.created', 'task.assigned'],
    },
  ),
  createTaskStep('There', { project_id: '{hidden}' }),
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: [
        { op: 'update', id: '{Task}', data: { project_id: '{hidden}' } },
        ...['{Other}', '{Own}'].flatMap((id) => [
          { op: 'update', id, data: { project_id: '{hidden}' } },
          { op: 'update', id, data: { parent_id: '{Task}' } },
        ]),
      ],
    },
    status: 200,
    events: Array.from({ length: 5 }, () => 'task.updated'),
  },
  moveTaskStep('Task', 'project', {
    ...undo,
    events: [
      { type: 'task.updated', data: { id: '{Task}' } },
      { type: 'task.updated', data: { id: '{Other}', tag_ids: [] } },
      { type: 'task.updated', data: { id: '{Own}', assignee_ids: [] } },
    ],
  }),
])
