import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  rejectedStep,
  tagStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

const TASKS = 'POST /api/v1/tasks'
const base = { project_id: '{project}', title: 'x' }

scenario('creates a task with all fields', [
  createTaskStep('Parent'),
  createTaskStep('Blocker', { project_id: '{hidden}' }),
  tagStep('project', 'urgent', 'tag'),
  createTaskStep(
    'Child',
    {
      title: '\u00a0 Child\n',
      description: ' kept\tas\r\nsent ',
      status: 'in_progress',
      priority: 'urgent',
      assignee_ids: ['{member}', '{guest}'],
      tag_ids: ['{tag}'],
      start_date: '2026-03-01',
      due_at: '2026-03-31T23:30:00.123456789+01:00',
      parent_id: '{Parent}',
      estimate_seconds: 7200,
      blocked_by_ids: ['{Blocker}'],
      recurrence: { rrule: 'FREQ=DAILY' },
      custom_fields: { budget: 1200.5, done: false, words: ['a', 'b'], gone: null },
      external_source: 'jira',
      external_id: ' X-1 ',
      metadata: { 'a.b:c-D_1': '', gone: null },
    },
    {
      events: [
        { type: 'task.created', changes: {} },
        {
          type: 'task.assigned',
          changes: { assignee_ids: { from: [], to: ['{member}', '{guest}'] } },
        },
      ],
      reply: {
        title: 'Child',
        description: ' kept\tas\r\nsent ',
        status_category: 'started',
        assignee_ids: ['{member}', '{guest}'],
        due_date: '2026-04-01',
        due_at: '2026-03-31T22:30:00.123Z',
        blocked_by_ids: ['{Blocker}'],
        blocking_ids: [],
        recurrence: { rrule: 'FREQ=DAILY', basis: 'due_date' },
        custom_fields: { budget: 1200.5, done: false, words: ['a', 'b'] },
        external_id: 'X-1',
        metadata: { 'a.b:c-D_1': '' },
        version: 1,
      },
      replyHeaders: { location: /^http.*\/api\/v1\/tasks\/tsk_/, 'x-operation-id': /^opr_/ },
    },
  ),
  {
    send: 'GET /api/v1/tasks/{Parent}',
    status: 200,
    reply: { subtask_count: 1, version: 1 },
  },
  { send: 'GET /api/v1/tasks/{Blocker}', status: 200, reply: { blocking_ids: ['{Child}'] } },
])

scenario('treats null in a new task as an absent field', [
  createTaskStep('Plain', {
    description: null,
    start_date: null,
    due_date: null,
    due_at: '2026-03-31T12:00:00Z',
    parent_id: null,
    estimate_seconds: null,
    recurrence: null,
    external_source: null,
    external_id: null,
  }),
  { send: 'GET /api/v1/tasks/{Plain}', status: 200, reply: { due_date: '2026-03-31' } },
  validationFailedStep(
    TASKS,
    {
      project_id: null,
      title: null,
      status: null,
      priority: null,
      assignee_ids: null,
      tag_ids: null,
      before_id: null,
      blocked_by_ids: null,
      custom_fields: null,
      metadata: null,
    },
    Object.fromEntries(
      ['project_id', 'title', 'status', 'priority', 'assignee_ids', 'tag_ids', 'before_id']
        .concat(['blocked_by_ids', 'custom_fields', 'metadata'])
        .map((field) => [field, 'not_nullable']),
    ),
  ),
])

scenario('rejects references to missing or invisible records', [
  createTaskStep('Here'),
  createTaskStep('There', { project_id: '{hidden}' }),
  createTaskStep('Deleted'),
  { send: 'DELETE /api/v1/tasks/{Deleted}', status: 204, events: ['task.deleted'] },
  {
    ...validationFailedStep(
      TASKS,
      { ...base, project_id: '{hidden}' },
      { project_id: 'invalid_reference' },
    ),
    as: 'member',
  },
  ...validationFailedSteps(TASKS, [
    [
      { ...base, parent_id: '{There}', before_id: '{There}', status: 'nope' },
      { parent_id: 'not_in_project', before_id: 'not_in_project', status: 'invalid_value' },
    ],
    [
      { ...base, parent_id: '{Deleted}', after_id: '{Deleted}', blocked_by_ids: ['{Deleted}'] },
      {
        parent_id: 'invalid_reference',
        after_id: 'invalid_reference',
        'blocked_by_ids[0]': 'invalid_reference',
      },
    ],
  ]),
  {
    ...validationFailedStep(
      TASKS,
      { ...base, parent_id: '{There}', blocked_by_ids: ['{Here}', '{There}'] },
      { parent_id: 'invalid_reference', 'blocked_by_ids[1]': 'invalid_reference' },
    ),
    as: 'member',
  },
  ...validationFailedSteps(TASKS, [
    [
      {
        ...base,
        project_id: '{hidden}',
        assignee_ids: ['{owner}', '{guest}', '{admin}', 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'],
      },
      { 'assignee_ids[1]': 'not_a_member', 'assignee_ids[3]': 'not_a_member' },
    ],
    [{ ...base, tag_ids: ['tag_01k2m3n4p5q6r7s8t9v0w1x2y3'] }, { 'tag_ids[0]': 'not_in_project' }],
  ]),
])

scenario('external source and id are unique among undeleted tasks', [
  createTaskStep('First', { external_source: 'jira', external_id: '1' }),
  createTaskStep('Secret', { project_id: '{hidden}', external_source: 'jira', external_id: '2' }),
  rejectedStep(TASKS, 409, 'external_id_exists', {
    body: { ...base, external_source: 'jira', external_id: '1' },
    reply: { error: { details: [{ code: 'external_id_exists', resource_id: '{First}' }] } },
  }),
  {
    ...rejectedStep(TASKS, 409, 'external_id_exists', {
      body: { ...base, external_source: 'jira', external_id: '2' },
    }),
    as: 'member',
    check: ({ body }) => {
      if (JSON.stringify(body).includes('resource_id')) throw new Error('It tells of a hidden task')
    },
  },
  { send: 'DELETE /api/v1/tasks/{First}', status: 204, events: ['task.deleted'] },
  createTaskStep('Second', { external_source: 'jira', external_id: '1' }),
  rejectedStep('POST /api/v1/tasks/{First}/restore', 409, 'external_id_exists'),
  patchTaskStep('Second', { external_source: null, external_id: null }),
  {
    send: 'POST /api/v1/tasks/{First}/restore',
    status: 200,
    events: ['task.updated'],
  },
  validationFailedStep(
    'PATCH /api/v1/tasks/{Second}',
    { external_id: '3' },
    {
      external_source: 'conflicting_fields',
    },
  ),
  ...validationFailedSteps('PATCH /api/v1/tasks/{First}', [
    [{ external_id: null, title: '' }, { title: 'too_short' }],
    [
      { external_id: null },
      {
        external_id: 'conflicting_fields',
      },
    ],
  ]),
])

scenario('a dry run of create returns the task and stores nothing', [
  {
    send: 'POST /api/v1/tasks?dry_run=true',
    body: { ...base, assignee_ids: ['{member}'] },
    status: 201,
    reply: { number: 1, short_id: 'ENG-1' },
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  {
    ...validationFailedStep(
      `${TASKS}?dry_run=true`,
      { ...base, title: '' },
      { title: 'too_short' },
    ),
  },
  createTaskStep('First', {}, { reply: { number: 1 } }),
  {
    send: 'POST /api/v1/tasks?dry_run=yes',
    body: base,
    status: 400,
    reply: { error: { code: 'invalid_parameter', details: [{ field: 'dry_run' }] } },
  },
])
