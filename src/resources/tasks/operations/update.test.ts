import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  prepareStatuses,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const PATCH = 'PATCH /api/v1/tasks/{Task}'
const patch = (body: object, more?: Partial<ScenarioStep>) => patchTaskStep('Task', body, more)

scenario('null clears every field that is nullable', [
  createTaskStep('Task', {
    description: 'x',
    start_date: '2026-01-01',
    due_at: '2026-01-02T10:00:00Z',
    estimate_seconds: 5,
    external_source: 'a',
    external_id: 'b',
    recurrence: { rrule: 'FREQ=DAILY', basis: 'completion' },
    custom_fields: { a: 1, b: [] },
    metadata: { a: 'x', b: 'y' },
  }),
  validationFailedStep(
    PATCH,
    {
      project_id: null,
      title: null,
      status: null,
      priority: null,
      assignee_ids: null,
      remove_tag_ids: null,
      after_id: null,
      blocked_by_ids: null,
      custom_fields: null,
      metadata: null,
    },
    Object.fromEntries(
      ['project_id', 'title', 'status', 'priority', 'assignee_ids', 'remove_tag_ids', 'after_id']
        .concat(['blocked_by_ids', 'custom_fields', 'metadata'])
        .map((field) => [field, 'not_nullable']),
    ),
  ),
  patch(
    {
      description: null,
      start_date: null,
      due_date: null,
      estimate_seconds: null,
      external_source: null,
      external_id: null,
      recurrence: null,
      custom_fields: { a: null, never: null },
      metadata: { b: null, c: 'z' },
    },
    {
      reply: { version: 2, custom_fields: { b: [] }, metadata: { a: 'x', c: 'z' } },
      events: [
        {
          type: 'task.updated',
          changes: {
            description: { from: 'x', to: null },
            start_date: { from: '2026-01-01', to: null },
            due_date: { from: '2026-01-02', to: null },
            due_at: { from: '2026-01-02T10:00:00.000Z', to: null },
            estimate_seconds: { from: 5, to: null },
            external_source: { from: 'a', to: null },
            external_id: { from: 'b', to: null },
            recurrence: { from: { rrule: 'FREQ=DAILY', basis: 'completion' }, to: null },
            custom_fields: { from: { a: 1, b: [] }, to: { b: [] } },
            metadata: { from: { a: 'x', b: 'y' }, to: { a: 'x', c: 'z' } },
          },
        },
      ],
    },
  ),
  ...[
    {},
    { title: ' Task ' },
    { custom_fields: { a: null, b: [] }, metadata: {} },
    { status: 'todo', priority: 'none', assignee_ids: [], blocked_by_ids: [], parent_id: null },
    { add_tag_ids: [], remove_assignee_ids: ['{guest}'], project_id: '{project}' },
  ].map((body) =>
    patch(body, { reply: { version: 2 }, replyHeaders: { 'x-operation-id': null }, events: [] }),
  ),
])

scenario('distinguishes read-only from unknown fields', [
  createTaskStep('Task'),
  validationFailedStep(
    PATCH,
    {
      id: '{Task}',
      number: 1,
      status_category: 'started',
      completed_at: null,
      position: 'a0',
      blocking_ids: [],
      recurred_from_id: null,
      version: 1,
      created_by_id: '{owner}',
      deleted_at: null,
      Title: 'x',
      completed: true,
    },
    {
      ...Object.fromEntries(
        ['id', 'number', 'status_category', 'completed_at', 'position', 'blocking_ids']
          .concat(['recurred_from_id', 'version', 'created_by_id', 'deleted_at'])
          .map((field) => [field, 'read_only_field']),
      ),
      Title: 'unknown_field',
      completed: 'unknown_field',
    },
  ),
  validationFailedStep(
    'POST /api/v1/tasks/{Task}/complete',
    { status: 'done' },
    { status: 'unknown_field' },
  ),
  validationFailedStep('POST /api/v1/tasks/{Task}/restore', { x: 1 }, { x: 'unknown_field' }),
])

scenario('keeps completed_at between completed statuses and clears it when the task is reopened', [
  createTaskStep(
    'Task',
    {},
    {
      prepare: prepareStatuses('project', [
        ['todo', 'unstarted'],
        ['done', 'completed'],
        ['shipped', 'completed'],
        ['dropped', 'canceled'],
        ['refused', 'canceled'],
      ]),
    },
  ),
  {
    send: 'POST /api/v1/tasks/{Task}/complete',
    as: 'member',
    status: 200,
    reply: { status: 'done', completed_by_id: '{member}' },
    events: ['task.completed'],
    keep: { when: 'completed_at' },
  },
  patch(
    { status: 'shipped' },
    {
      reply: { completed_at: '{when}', completed_by_id: '{member}' },
      events: [{ type: 'task.updated', changes: { status: { from: 'done', to: 'shipped' } } }],
    },
  ),
  {
    send: 'POST /api/v1/tasks/{Task}/complete',
    status: 200,
    reply: { status: 'shipped', version: 3 },
  },
  patch(
    { status: 'dropped' },
    {
      reply: { completed_at: null, completed_by_id: null, status_category: 'canceled' },
      keep: { canceled: 'canceled_at' },
    },
  ),
  patch({ status: 'refused' }, { reply: { canceled_at: '{canceled}' } }),
  patch({ status: 'todo' }, { reply: { canceled_at: null } }),
  validationFailedStep(PATCH, { status: 'in_progress' }, { status: 'invalid_value' }),
  patch(
    { status: 'shipped', title: 'Out' },
    {
      reply: { completed_by_id: '{owner}' },
      events: [{ type: 'task.completed', data: { title: 'Out' } }],
    },
  ),
])

scenario('truncates long descriptions in the changes of an event', [
  createTaskStep('Task', { description: '😀'.repeat(2048) }),
  patch(
    { description: 'y'.repeat(2049) },
    {
      events: [
        {
          type: 'task.updated',
          changes: { description: { from: '😀'.repeat(2048), to: null, truncated: true } },
        },
      ],
    },
  ),
  patch(
    { description: '' },
    {
      events: [
        { type: 'task.updated', changes: { description: { from: null, to: '', truncated: true } } },
      ],
    },
  ),
])
