import { type Step, scenario } from '#test/support/scenario.ts'
import { faulty, made, refused } from '#test/support/steps.ts'

const patch = (name: string, body: object, more: Partial<Step> = {}): Step => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body,
  status: 200,
  events: ['task.updated'],
  ...more,
})
const shows = (name: string, reply: object): Step => ({
  send: `GET /api/v1/tasks/{${name}}`,
  status: 200,
  reply,
})

scenario('parents make a tree of five levels without a circle', [
  made('1'),
  made('2', { parent_id: '{1}' }),
  made('3', { parent_id: '{2}' }),
  made('4', { parent_id: '{3}' }),
  made('5', { parent_id: '{4}' }),
  faulty(
    'POST /api/v1/tasks',
    { project_id: '{project}', title: '6', parent_id: '{5}' },
    { parent_id: 'too_deep' },
  ),
  faulty('PATCH /api/v1/tasks/{1}', { parent_id: '{1}' }, { parent_id: 'cycle' }),
  faulty('PATCH /api/v1/tasks/{1}', { parent_id: '{5}' }, { parent_id: 'cycle' }),
  made('0'),
  faulty('PATCH /api/v1/tasks/{1}', { parent_id: '{0}' }, { parent_id: 'too_deep' }),
  patch(
    '3',
    { parent_id: '{0}' },
    {
      events: [{ type: 'task.updated', changes: { parent_id: { from: '{2}', to: '{0}' } } }],
    },
  ),
  shows('2', { subtask_count: 0, version: 1 }),
  shows('0', { subtask_count: 1, version: 1 }),
  patch('3', { parent_id: '{0}' }, { events: [] }),
  patch('3', { parent_id: null }),
  patch('3', { parent_id: null }, { events: [] }),
  faulty(
    'PATCH /api/v1/tasks/{3}',
    { parent_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3' },
    {
      parent_id: 'invalid_reference',
    },
  ),
])

scenario('completing and moving subtasks keeps the counts of their parents', [
  made('A'),
  made('B'),
  made('Task', { parent_id: '{A}', status: 'done' }),
  shows('A', { subtask_count: 1, completed_subtask_count: 1 }),
  patch('Task', { parent_id: '{B}', status: 'todo' }),
  shows('A', { subtask_count: 0, completed_subtask_count: 0, version: 1 }),
  shows('B', { subtask_count: 1, completed_subtask_count: 0 }),
  patch('Task', { status: 'done' }, { events: ['task.completed'] }),
  shows('B', { subtask_count: 1, completed_subtask_count: 1, status: 'todo' }),
])

scenario('tasks wait for others without waiting for themselves', [
  made('A'),
  made('B', { blocked_by_ids: ['{A}'] }),
  made('C', { blocked_by_ids: ['{B}'] }),
  shows('A', { blocking_ids: ['{B}'], version: 1 }),
  faulty('PATCH /api/v1/tasks/{A}', { blocked_by_ids: ['{A}'] }, { 'blocked_by_ids[0]': 'cycle' }),
  faulty('PATCH /api/v1/tasks/{A}', { blocked_by_ids: ['{C}'] }, { 'blocked_by_ids[0]': 'cycle' }),
  { send: 'DELETE /api/v1/tasks/{B}', status: 204, events: ['task.deleted'] },
  shows('A', { blocking_ids: [] }),
  shows('C', { blocked_by_ids: [], version: 1 }),
  faulty('PATCH /api/v1/tasks/{A}', { blocked_by_ids: ['{C}'] }, { 'blocked_by_ids[0]': 'cycle' }),
  faulty(
    'PATCH /api/v1/tasks/{C}',
    { blocked_by_ids: ['{B}'] },
    {
      'blocked_by_ids[0]': 'invalid_reference',
    },
  ),
  {
    send: 'POST /api/v1/tasks/{B}/restore',
    status: 200,
    reply: { blocked_by_ids: ['{A}'], blocking_ids: ['{C}'] },
    events: ['task.updated'],
  },
  shows('C', { blocked_by_ids: ['{B}'], version: 1 }),
  patch(
    'C',
    { blocked_by_ids: ['{A}', '{B}'] },
    {
      events: [
        {
          type: 'task.updated',
          changes: { blocked_by_ids: { from: ['{B}'], to: ['{A}', '{B}'] } },
        },
      ],
    },
  ),
  patch('C', { blocked_by_ids: ['{B}', '{A}'] }, { events: [] }),
  {
    send: 'POST /api/v1/tasks/{C}/complete',
    status: 200,
    reply: { blocked_by_ids: ['{A}', '{B}'] },
    events: ['task.completed'],
  },
  patch('C', { blocked_by_ids: [] }),
])

scenario('a blocker may be in a project that others do not see', [
  made('Secret', { project_id: '{hidden}' }),
  made('Task', { blocked_by_ids: ['{Secret}'] }),
  { ...shows('Task', { blocked_by_ids: ['{Secret}'] }), as: 'member' },
  refused('GET /api/v1/tasks/{Secret}', 404, 'not_found', { as: 'member' }),
  patch('Task', { blocked_by_ids: ['{Secret}'], title: 'New' }, { as: 'member' }),
  patch('Task', { blocked_by_ids: [] }, { as: 'member' }),
  {
    ...faulty(
      'PATCH /api/v1/tasks/{Task}',
      { blocked_by_ids: ['{Secret}'] },
      {
        'blocked_by_ids[0]': 'invalid_reference',
      },
    ),
    as: 'member',
  },
])

const blocked = (count: number): Step => ({
  send: 'POST /api/v1/tasks/bulk',
  body: {
    operations: Array.from({ length: count }, (_, at) => {
      const data = { project_id: '{project}', title: `${at}`, blocked_by_ids: ['{Task}'] }
      return { op: 'create', data }
    }),
  },
  status: 200,
  events: Array(count).fill('task.created'),
})

scenario('a task blocks five hundred others at most', [
  made('Task'),
  ...Array.from({ length: 5 }, () => blocked(100)),
  refused('POST /api/v1/tasks', 409, 'limit_reached', {
    body: { project_id: '{project}', title: 'x', blocked_by_ids: ['{Task}'] },
  }),
])

scenario('a set has so many members at most, and each once', [
  made('Task'),
  faulty(
    'PATCH /api/v1/tasks/{Task}',
    {
      blocked_by_ids: Array.from({ length: 51 }, () => '{Task}'),
      assignee_ids: Array.from({ length: 21 }, () => '{owner}'),
      tag_ids: ['tag_01k2m3n4p5q6r7s8t9v0w1x2y3', 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3'],
    },
    { blocked_by_ids: 'too_many', assignee_ids: 'too_many', 'tag_ids[1]': 'duplicate' },
  ),
])
