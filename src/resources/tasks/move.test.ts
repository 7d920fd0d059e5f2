import { type Step, scenario } from '#test/support/scenario.ts'
import { changing, faulty, lists, made, refused, withStatuses } from '#test/support/steps.ts'

const tag = (project: string, name: string, keep: string): Step => ({
  send: `POST /api/v1/projects/{${project}}/tags`,
  body: { name },
  status: 201,
  keep: { [keep]: 'id' },
})
const move = (name: string, project: string, more: Partial<Step> = {}): Step => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body: { project_id: `{${project}}` },
  status: 200,
  events: ['task.updated'],
  ...more,
})

scenario('a moved task takes along what the other project knows, and says so', [
  tag('project', 'Straße', 'here'),
  tag('project', 'Only here', 'lost'),
  tag('hidden', 'STRAßE', 'there'),
  made('First', { project_id: '{hidden}' }),
  made('Parent'),
  made(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{here}', '{lost}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_review',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  made('Below', { parent_id: '{Task}', tag_ids: ['{lost}'], status: 'done' }),
  made(
    'Lower',
    { parent_id: '{Below}', assignee_ids: ['{member}'] },
    {
      events: ['task.created', 'task.assigned'],
    },
  ),
  made('Gone', { parent_id: '{Task}' }),
  { send: 'DELETE /api/v1/tasks/{Gone}', status: 204, events: ['task.deleted'] },
  move('Task', 'hidden', {
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
  lists('/api/v1/projects/{hidden}/tasks', ['First', 'Task', 'Below', 'Lower']),
  made('New', {}, { reply: { number: 6 } }),
  move('Task', 'project', {
    reply: { short_id: 'ENG-2', number: 2, version: 3 },
    events: ['task.updated', 'task.updated', 'task.updated'],
  }),
  { send: 'GET /api/v1/tasks/HID-2', status: 200, reply: { id: '{Task}', short_id: 'ENG-2' } },
  lists('/api/v1/projects/{project}/tasks', ['Parent', 'New', 'Task', 'Below', 'Lower']),
  move('Task', 'hidden', {
    reply: { short_id: 'HID-2' },
    events: ['task.updated', 'task.updated', 'task.updated'],
  }),
  made('Next', { project_id: '{hidden}' }, { reply: { number: 5 } }),
  {
    send: 'POST /api/v1/tasks/{Gone}/restore',
    status: 200,
    reply: { parent_id: null, short_id: 'ENG-5' },
    events: ['task.updated'],
  },
])

scenario('a move says field by field what changed', [
  made('Task'),
  move('Task', 'hidden', {
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
  move('Task', 'hidden', { reply: { version: 2 }, events: [] }),
])

scenario('what the same request names goes before what is mapped', [
  tag('project', 'a', 'here'),
  tag('hidden', 'a', 'a'),
  tag('hidden', 'b', 'b'),
  made('Parent', { project_id: '{hidden}' }),
  made('Task', { tag_ids: ['{here}'], status: 'backlog' }),
  faulty(
    'PATCH /api/v1/tasks/{Task}',
    { project_id: '{hidden}', tag_ids: ['{here}'], assignee_ids: ['{guest}'], parent_id: '{Task}' },
    { 'tag_ids[0]': 'not_in_project', 'assignee_ids[0]': 'not_a_member', parent_id: 'cycle' },
  ),
  move('Task', 'hidden', {
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
  lists('/api/v1/projects/{hidden}/tasks', ['Task', 'Parent']),
])

scenario('statuses are mapped by key, then by category, and completion follows', [
  made(
    'Task',
    { status: 'in_progress' },
    {
      prepare: withStatuses('hidden', [
        ['open', 'unstarted'],
        ['todo', 'completed'],
      ]),
    },
  ),
  made('Child', {
    parent_id: '{Task}',
    due_date: '2030-01-01',
    recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
  }),
  made('Sister', { parent_id: '{Task}', status: 'done' }),
  move('Task', 'hidden', {
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

scenario('short ids outlive a change of the prefix', [
  made('Task'),
  {
    send: 'GET /api/v1/tasks/ENG-1',
    status: 200,
    reply: { short_id: 'MAC-1' },
    prepare: changing('project', { prefix: 'MAC' }),
  },
  move('Task', 'hidden'),
  { send: 'GET /api/v1/tasks/eng-1', status: 200, reply: { short_id: 'HID-1' } },
  { send: 'GET /api/v1/tasks/mac-1', status: 200 },
  { send: 'GET /api/v1/tasks?q=Eng-1', status: 200, reply: { data: [{ id: '{Task}' }] } },
  { send: 'GET /api/v1/tasks?q=hid-1', status: 200, reply: { data: [{ id: '{Task}' }] } },
  { send: 'GET /api/v1/tasks/ENG-01', status: 404 },
  { send: 'GET /api/v1/tasks/ENG-0', status: 404 },
  { send: 'GET /api/v1/tasks/ENG-99999999999999999999', status: 404 },
])

scenario('a move needs both projects to be seen and open', [
  made('Task'),
  {
    ...faulty(
      'PATCH /api/v1/tasks/{Task}',
      { project_id: '{hidden}' },
      { project_id: 'invalid_reference' },
    ),
    as: 'member',
  },
  {
    ...refused('PATCH /api/v1/tasks/{Task}', 409, 'project_archived', {
      body: { project_id: '{hidden}' },
    }),
    prepare: changing('hidden', { archived: true }),
  },
])
