import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  rejectedStep,
  tagStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

const shows = (name: string, reply: object): ScenarioStep => ({
  send: `GET /api/v1/tasks/{${name}}`,
  status: 200,
  reply,
})

scenario('subtasks have at most five levels and no cycle', [
  createTaskStep('1'),
  createTaskStep('2', { parent_id: '{1}' }),
  createTaskStep('3', { parent_id: '{2}' }),
  createTaskStep('4', { parent_id: '{3}' }),
  createTaskStep('5', { parent_id: '{4}' }),
  validationFailedStep(
    'POST /api/v1/tasks',
    { project_id: '{project}', title: '6', parent_id: '{5}' },
    { parent_id: 'too_deep' },
  ),
  ...validationFailedSteps('PATCH /api/v1/tasks/{1}', [
    [{ parent_id: '{1}' }, { parent_id: 'cycle' }],
    [{ parent_id: '{5}' }, { parent_id: 'cycle' }],
  ]),
  createTaskStep('0'),
  validationFailedStep('PATCH /api/v1/tasks/{1}', { parent_id: '{0}' }, { parent_id: 'too_deep' }),
  patchTaskStep(
    '3',
    { parent_id: '{0}' },
    {
      events: [{ type: 'task.updated', changes: { parent_id: { from: '{2}', to: '{0}' } } }],
    },
  ),
  shows('2', { subtask_count: 0, version: 1 }),
  shows('0', { subtask_count: 1, version: 1 }),
  patchTaskStep('3', { parent_id: '{0}' }, { events: [] }),
  patchTaskStep('3', { parent_id: null }),
  patchTaskStep('3', { parent_id: null }, { events: [] }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{3}',
    { parent_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3' },
    {
      parent_id: 'invalid_reference',
    },
  ),
])

scenario('updates the subtask counts of parents when subtasks are completed or moved', [
  createTaskStep('A'),
  createTaskStep('B'),
  createTaskStep('Task', { parent_id: '{A}', status: 'done' }),
  shows('A', { subtask_count: 1, completed_subtask_count: 1 }),
  patchTaskStep('Task', { parent_id: '{B}', status: 'todo' }),
  shows('A', { subtask_count: 0, completed_subtask_count: 0, version: 1 }),
  shows('B', { subtask_count: 1, completed_subtask_count: 0 }),
  patchTaskStep('Task', { status: 'done' }, { events: ['task.completed'] }),
  shows('B', { subtask_count: 1, completed_subtask_count: 1, status: 'todo' }),
])

scenario('rejects cycles of blockers', [
  createTaskStep('A'),
  createTaskStep('B', { blocked_by_ids: ['{A}'] }),
  createTaskStep('C', { blocked_by_ids: ['{B}'] }),
  shows('A', { blocking_ids: ['{B}'], version: 1 }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{A}', [
    [{ blocked_by_ids: ['{A}'] }, { 'blocked_by_ids[0]': 'cycle' }],
    [{ blocked_by_ids: ['{C}'] }, { 'blocked_by_ids[0]': 'cycle' }],
  ]),
  { send: 'DELETE /api/v1/tasks/{B}', status: 204, events: ['task.deleted'] },
  shows('A', { blocking_ids: [] }),
  shows('C', { blocked_by_ids: [], version: 1 }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{A}',
    { blocked_by_ids: ['{C}'] },
    { 'blocked_by_ids[0]': 'cycle' },
  ),
  validationFailedStep(
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
  patchTaskStep(
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
  patchTaskStep('C', { blocked_by_ids: ['{B}', '{A}'] }, { events: [] }),
  {
    send: 'POST /api/v1/tasks/{C}/complete',
    status: 200,
    reply: { blocked_by_ids: ['{A}', '{B}'] },
    events: ['task.completed'],
  },
  patchTaskStep('C', { blocked_by_ids: [] }),
])

scenario('a blocker can be in a project that others do not see', [
  createTaskStep('Secret', { project_id: '{hidden}' }),
  createTaskStep('Task', { blocked_by_ids: ['{Secret}'] }),
  { ...shows('Task', { blocked_by_ids: ['{Secret}'] }), as: 'member' },
  rejectedStep('GET /api/v1/tasks/{Secret}', 404, 'not_found', { as: 'member' }),
  patchTaskStep('Task', { blocked_by_ids: ['{Secret}'], title: 'New' }, { as: 'member' }),
  patchTaskStep('Task', { blocked_by_ids: [] }, { as: 'member' }),
  {
    ...validationFailedStep(
      'PATCH /api/v1/tasks/{Task}',
      { blocked_by_ids: ['{Secret}'] },
      {
        'blocked_by_ids[0]': 'invalid_reference',
      },
    ),
    as: 'member',
  },
])

const toIds = (names: readonly string[]) => names.map((name) => `{${name}}`)
const TAGS = Array.from({ length: 51 }, (_, at) => `T${at}`)

scenario('limits the size of sets and removes duplicates', [
  ...TAGS.map((name) => tagStep('project', name, name)),
  createTaskStep('Task', { tag_ids: toIds(TAGS.slice(1)) }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{Task}', [
    [{ add_tag_ids: ['{T0}'] }, { add_tag_ids: 'too_many' }],
    [
      {
        blocked_by_ids: Array.from({ length: 51 }, () => '{Task}'),
        assignee_ids: Array.from({ length: 21 }, () => '{owner}'),
        tag_ids: ['tag_01k2m3n4p5q6r7s8t9v0w1x2y3', 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3'],
      },
      { blocked_by_ids: 'too_many', assignee_ids: 'too_many', 'tag_ids[1]': 'duplicate' },
    ],
  ]),
])

const BLOCKERS = Array.from({ length: 51 }, (_, at) => `B${at}`)

scenario('a task that restored blockers give too many can be changed all the same', [
  ...BLOCKERS.map((name) => createTaskStep(name)),
  createTaskStep('Task', { blocked_by_ids: toIds(BLOCKERS.slice(0, 50)) }),
  { send: 'DELETE /api/v1/tasks/{B0}', status: 204, events: ['task.deleted'] },
  patchTaskStep('Task', { blocked_by_ids: toIds(BLOCKERS.slice(1)) }),
  {
    send: 'POST /api/v1/tasks/{B0}/restore',
    status: 200,
    events: ['task.updated'],
  },
  createTaskStep('More'),
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { blocked_by_ids: toIds([...BLOCKERS.slice(1), 'More']) },
    { blocked_by_ids: 'too_many' },
  ),
  patchTaskStep('Task', {}, { events: [] }),
  patchTaskStep('Task', { title: 'Renamed' }, { reply: { title: 'Renamed' } }),
  {
    send: 'POST /api/v1/tasks/{Task}/complete',
    status: 200,
    events: ['task.completed'],
  },
  patchTaskStep('Task', { blocked_by_ids: toIds(BLOCKERS.slice(0, 3)) }),
])
