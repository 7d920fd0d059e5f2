import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  moveTaskStep,
  patchTaskStep,
  prepareProjectChange,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

scenario('bodies name other tasks by short ids', [
  createTaskStep('First'),
  createTaskStep('Second'),
  createTaskStep(
    'Third',
    { parent_id: 'ENG-1', blocked_by_ids: ['eng-2', '{First}'], before_id: 'Eng-2' },
    { reply: { parent_id: '{First}', blocked_by_ids: ['{First}', '{Second}'] } },
  ),
  listStep('/api/v1/projects/{project}/tasks', ['First', 'Third', 'Second']),
  {
    send: 'PATCH /api/v1/tasks/ENG-3',
    body: { parent_id: 'ENG-1', blocked_by_ids: ['ENG-1', 'ENG-2'] },
    status: 200,
    reply: { version: 1 },
  },
  {
    send: 'PATCH /api/v1/tasks/ENG-3',
    body: { parent_id: 'ENG-2', blocked_by_ids: ['ENG-1'], after_id: 'ENG-2' },
    status: 200,
    reply: { parent_id: '{Second}', blocked_by_ids: ['{First}'] },
    events: [
      {
        type: 'task.updated',
        data: { id: '{Third}', parent_id: '{Second}', blocked_by_ids: ['{First}'] },
      },
    ],
  },
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: [
        { op: 'update', id: 'eng-3', version: 2, data: { parent_id: 'ENG-1' } },
        { op: 'complete', id: 'ENG-3' },
        { op: 'delete', id: 'ENG-3' },
        { op: 'restore', id: 'ENG-3' },
      ],
    },
    status: 200,
    events: ['task.updated', 'task.completed', 'task.deleted', 'task.updated'],
    reply: {
      succeeded: 4,
      results: [
        { data: { id: '{Third}', parent_id: '{First}' } },
        {},
        {},
        { data: { deleted_at: null } },
      ],
    },
  },
  {
    send: 'POST /internal/templates',
    as: 'session',
    headers: { origin: 'http://127.0.0.1:4000' },
    body: { task_id: 'ENG-3', name: 'From a short id' },
    status: 201,
    reply: { project_id: '{project}', task_count: 1 },
  },
])

scenario('filters take short ids', [
  createTaskStep('First'),
  createTaskStep('Second', { parent_id: '{First}' }),
  createTaskStep('Third'),
  listStep('/api/v1/tasks?parent_id=eng-1', ['Second']),
  listStep('/api/v1/projects/{project}/tasks?parent_id=ENG-1', ['Second']),
  listStep('/api/v1/tasks?sort=created_at&id=ENG-1,{Third},ENG-99', ['First', 'Third']),
  listStep('/api/v1/tasks?id=ENG-99', []),
  listStep('/api/v1/tasks?parent_id=ENG-99', []),
  deleteTaskStep('First', ['task.deleted', 'task.deleted']),
  listStep('/api/v1/tasks?parent_id=ENG-1&deleted=only', ['Second']),
])

scenario('former short ids name a task in bodies and filters', [
  createTaskStep('First'),
  createTaskStep('Second'),
  moveTaskStep('First', 'hidden'),
  patchTaskStep(
    'Second',
    { blocked_by_ids: ['ENG-1'] },
    { reply: { blocked_by_ids: ['{First}'] } },
  ),
  listStep('/api/v1/tasks?id=ENG-1', ['First']),
  patchTaskStep(
    'Second',
    { blocked_by_ids: [] },
    { prepare: prepareProjectChange('project', { prefix: 'NEW' }) },
  ),
  listStep('/api/v1/tasks?id=NEW-2,ENG-1', ['Second', 'First']),
])

scenario('refuses short ids that name no visible task, or one task twice', [
  createTaskStep('First'),
  createTaskStep('Second'),
  createTaskStep('Secret', { project_id: '{hidden}' }),
  patchTaskStep('First', { blocked_by_ids: ['HID-1'] }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{First}', [
    [
      { parent_id: 'ENG-99', blocked_by_ids: ['ENG-98'], after_id: 'ENG-97' },
      {
        parent_id: 'invalid_reference',
        'blocked_by_ids[0]': 'invalid_reference',
        after_id: 'invalid_reference',
      },
    ],
    [
      { parent_id: 'ENG-0', blocked_by_ids: ['ENG'], before_id: '' },
      {
        parent_id: 'invalid_reference',
        'blocked_by_ids[0]': 'invalid_reference',
        before_id: 'invalid_reference',
      },
    ],
    [{ blocked_by_ids: ['ENG-2', '{Second}'] }, { 'blocked_by_ids[1]': 'duplicate' }],
  ]),
  validationFailedStep(
    'POST /api/v1/tasks',
    { project_id: '{project}', title: 'New', blocked_by_ids: ['ENG-2', 'eng-2'] },
    { 'blocked_by_ids[1]': 'duplicate' },
  ),
  // The blocker that the member does not see stays an opaque id: its short id must not be a no-op.
  {
    send: 'PATCH /api/v1/tasks/{First}',
    as: 'member',
    body: { blocked_by_ids: ['HID-1'] },
    status: 422,
    reply: { error: { details: [{ field: 'blocked_by_ids[0]', code: 'invalid_reference' }] } },
  },
])
