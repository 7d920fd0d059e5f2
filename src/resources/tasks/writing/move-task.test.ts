import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  moveTaskStep,
  prepareProjectChange,
  prepareStatuses,
  rejectedStep,
  tagStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

scenario('maps status, tags and assignees when a task moves to another project', [
  tagStep('project', 'Straße', 'here'),
  tagStep('project', 'Only here', 'lost'),
  tagStep('hidden', 'STRAßE', 'there'),
  createTaskStep('First', { project_id: '{hidden}' }),
  createTaskStep('Parent'),
  createTaskStep(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{here}', '{lost}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_review',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  createTaskStep('Below', { parent_id: '{Task}', tag_ids: ['{lost}'], status: 'done' }),
  createTaskStep(
    'Lower',
    { parent_id: '{Below}', assignee_ids: ['{member}'] },
    {
      events: ['task.created', 'task.assigned'],
    },
  ),
  createTaskStep('Gone', { parent_id: '{Task}' }),
  { send: 'DELETE /api/v1/tasks/{Gone}', status: 204, events: ['task.deleted'] },
  moveTaskStep('Task', 'hidden', {
    reply: {
      project_id: '{hidden}',
      number: 2,
      short_id: 'HID-2',
      parent_id: null,
      tag_ids: ['{there}'],
      assignee_ids: ['{admin}'],
      status: 'in_review',
      subtask_count: 1,
      completed_subtask_count: 1,
      version: 2,
    },
    events: [
      { type: 'task.updated', project_id: '{hidden}', data: { id: '{Task}' } },
      {
        type: 'task.updated',
        data: { id: '{Below}', parent_id: '{Task}', number: 3, status: 'done', tag_ids: [] },
      },
      { type: 'task.updated', data: { id: '{Lower}', number: 4, assignee_ids: [] } },
    ],
  }),
  { send: 'GET /api/v1/tasks/eng-2', status: 200, reply: { id: '{Task}', short_id: 'HID-2' } },
  { send: 'GET /api/v1/tasks/ENG-3', status: 200, reply: { id: '{Below}' } },
  { send: 'GET /api/v1/tasks/ENG-2', as: 'member', status: 404 },
  { send: 'GET /api/v1/tasks/{Parent}', status: 200, reply: { subtask_count: 0 } },
  listStep('/api/v1/projects/{hidden}/tasks', ['First', 'Task', 'Below', 'Lower']),
  createTaskStep('New', {}, { reply: { number: 6 } }),
  moveTaskStep('Task', 'project', {
    reply: { short_id: 'ENG-2', number: 2, version: 3 },
    events: ['task.updated', 'task.updated', 'task.updated'],
  }),
  { send: 'GET /api/v1/tasks/HID-2', status: 200, reply: { id: '{Task}', short_id: 'ENG-2' } },
  listStep('/api/v1/projects/{project}/tasks', ['Parent', 'New', 'Task', 'Below', 'Lower']),
  moveTaskStep('Task', 'hidden', {
    reply: { short_id: 'HID-2' },
    events: ['task.updated', 'task.updated', 'task.updated'],
  }),
  createTaskStep('Next', { project_id: '{hidden}' }, { reply: { number: 5 } }),
  {
    send: 'POST /api/v1/tasks/{Gone}/restore',
    status: 200,
    reply: { parent_id: null, short_id: 'ENG-5' },
    events: ['task.updated'],
  },
])

scenario('the event of a move lists the changed fields', [
  createTaskStep('Task'),
  moveTaskStep('Task', 'hidden', {
    events: [
      {
        type: 'task.updated',
        changes: {
          project_id: { from: '{project}', to: '{hidden}' },
          short_id: { from: 'ENG-1', to: 'HID-1' },
        },
      },
    ],
  }),
  moveTaskStep('Task', 'hidden', { reply: { version: 2 }, events: [] }),
])

scenario('fields of the request override mapped fields', [
  tagStep('project', 'a', 'here'),
  tagStep('hidden', 'a', 'a'),
  tagStep('hidden', 'b', 'b'),
  createTaskStep('Parent', { project_id: '{hidden}' }),
  createTaskStep('Task', { tag_ids: ['{here}'], status: 'backlog' }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { project_id: '{hidden}', tag_ids: ['{here}'], assignee_ids: ['{guest}'], parent_id: '{Task}' },
    { 'tag_ids[0]': 'not_in_project', 'assignee_ids[0]': 'not_a_member', parent_id: 'cycle' },
  ),
  moveTaskStep('Task', 'hidden', {
    body: {
      project_id: '{hidden}',
      add_tag_ids: ['{b}'],
      parent_id: '{Parent}',
      before_id: '{Parent}',
      status: 'done',
      assignee_ids: ['{admin}'],
    },
    reply: { tag_ids: ['{a}', '{b}'], parent_id: '{Parent}', status: 'done' },
    events: ['task.completed', 'task.assigned'],
  }),
  listStep('/api/v1/projects/{hidden}/tasks', ['Task', 'Parent']),
])

scenario('maps statuses by key, then by category, and updates the completion', [
  createTaskStep(
    'Task',
    { status: 'in_progress' },
    {
      prepare: prepareStatuses('hidden', [
        ['open', 'unstarted'],
        ['todo', 'completed'],
      ]),
    },
  ),
  createTaskStep('Child', {
    parent_id: '{Task}',
    due_date: '2030-01-01',
    recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
  }),
  createTaskStep('Sister', { parent_id: '{Task}', status: 'done' }),
  moveTaskStep('Task', 'hidden', {
    reply: {
      status: 'open',
      status_category: 'unstarted',
      subtask_count: 3,
      completed_subtask_count: 2,
    },
    events: [
      { type: 'task.updated', data: { id: '{Task}', subtask_count: 3 } },
      { type: 'task.completed', data: { id: '{Child}', status: 'todo', recurrence: null } },
      {
        type: 'task.created',
        data: {
          due_date: '2030-01-02',
          status: 'open',
          parent_id: '{Task}',
          project_id: '{hidden}',
        },
      },
      {
        type: 'task.updated',
        data: { id: '{Sister}', status: 'todo', completed_by_id: '{owner}' },
      },
    ],
  }),
])

scenario('short ids resolve after a change of the project prefix', [
  createTaskStep('Task'),
  {
    send: 'GET /api/v1/tasks/ENG-1',
    status: 200,
    reply: { short_id: 'MAC-1' },
    prepare: prepareProjectChange('project', { prefix: 'MAC' }),
  },
  moveTaskStep('Task', 'hidden'),
  { send: 'GET /api/v1/tasks/eng-1', status: 200, reply: { short_id: 'HID-1' } },
  { send: 'GET /api/v1/tasks/mac-1', status: 200 },
  { send: 'GET /api/v1/tasks?q=Eng-1', status: 200, reply: { data: [{ id: '{Task}' }] } },
  { send: 'GET /api/v1/tasks?q=hid-1', status: 200, reply: { data: [{ id: '{Task}' }] } },
  // The capital of a dotless i is I, but it is another letter.
  { send: 'GET /api/v1/tasks?q=h%C4%B1d-1', status: 200, reply: { data: [] } },
  { send: 'GET /api/v1/tasks/ENG-01', status: 404 },
  { send: 'GET /api/v1/tasks/ENG-0', status: 404 },
  { send: 'GET /api/v1/tasks/ENG-99999999999999999999', status: 404 },
])

scenario('a move needs access to both projects, which must not be archived', [
  createTaskStep('Task'),
  {
    ...validationFailedStep(
      'PATCH /api/v1/tasks/{Task}',
      { project_id: '{hidden}' },
      { project_id: 'invalid_reference' },
    ),
    as: 'member',
  },
  {
    ...rejectedStep('PATCH /api/v1/tasks/{Task}', 409, 'project_archived', {
      body: { project_id: '{hidden}' },
    }),
    prepare: prepareProjectChange('hidden', { archived: true }),
  },
])
