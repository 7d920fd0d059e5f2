import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep } from '#test/support/scenario/steps.ts'
import { DEFAULT_STATUSES } from './statuses.ts'

scenario('rejects invalid lists of statuses', [
  ...[
    [[], { field: 'statuses', code: 'too_few' }],
    [Array(31).fill({ name: 'A', category: 'started' }), { field: 'statuses', code: 'too_many' }],
    [[{ name: 'A', category: 'started' }], { field: 'statuses', code: 'invalid_value' }],
    [[{ name: 'A', category: 'completed' }], { field: 'statuses', code: 'invalid_value' }],
    [
      [
        { key: 'a', name: 'A', category: 'started', position: 1 },
        { key: 'a', name: ' ', category: 'completed' },
      ],
      { field: 'statuses[1].name', code: 'too_short' },
      { field: 'statuses[0].position', code: 'invalid_value' },
      { field: 'statuses[1].key', code: 'duplicate' },
    ],
    [
      [{ key: 'Ä', name: 'A', category: 'done', colour: '#000000' }, 1],
      { field: 'statuses[0].key', code: 'invalid_format' },
      { field: 'statuses[0].category', code: 'invalid_value' },
      { field: 'statuses[0].colour', code: 'unknown_field' },
      { field: 'statuses[1]', code: 'invalid_type' },
    ],
    [{}, { field: 'statuses', code: 'invalid_type' }],
  ].map(([given, ...details]) => ({
    send: 'PATCH /internal/projects/{project}',
    as: 'session' as const,
    body: { statuses: given },
    status: 422,
    check: ({ body }: { body: unknown }) => {
      const { error } = body as { error: { details: { field: string; code: string }[] } }
      const told = error.details.map(({ field, code }) => ({ field, code }))
      for (const one of details as object[]) {
        assert.ok(JSON.stringify(told).includes(JSON.stringify(one)), JSON.stringify([told, one]))
      }
    },
  })),
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { statuses: DEFAULT_STATUSES },
    status: 200,
    replyHeaders: { 'x-operation-id': null },
  },
])

const TODO = { key: 'todo', name: 'To do', category: 'unstarted', color: '#64748b' }
const DONE = { key: 'done', name: 'Done', category: 'completed', color: '#22c55e' }

scenario(
  'a status with tasks can neither be removed nor change its category; deleted tasks get another one on restore',
  [
    createTaskStep('A', { status: 'in_review' }, { keep: { task: 'id' } }),
    rejectedStep('PATCH /internal/projects/{project}', 409, 'status_in_use', {
      as: 'session',
      body: { statuses: [TODO, DONE], prefix: 'HID' },
    }),
    rejectedStep('PATCH /internal/projects/{project}', 409, 'status_in_use', {
      as: 'session',
      body: { statuses: [TODO, DONE, { ...TODO, key: 'in_review' }] },
    }),
    {
      send: 'PATCH /internal/projects/{project}',
      as: 'session',
      body: {
        statuses: [{ ...TODO, key: 'in_review', name: 'Look', category: 'started' }, DONE, TODO],
      },
      status: 200,
      events: [
        {
          type: 'project.updated',
          actor: { type: 'user', user_id: '{owner}' },
          changes: {
            statuses: {
              from: DEFAULT_STATUSES,
              to: [
                { ...TODO, key: 'in_review', name: 'Look', category: 'started', position: 0 },
                { ...DONE, position: 1 },
                { ...TODO, position: 2 },
              ],
            },
          },
        },
      ],
    },
    { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'] },
    {
      send: 'PATCH /internal/projects/{project}',
      as: 'session',
      body: { statuses: [TODO, { name: 'Done', category: 'completed' }] },
      status: 200,
      reply: { statuses: [{ key: 'todo' }, { key: 'done_2' }] },
      events: ['project.updated'],
    },
    {
      send: 'POST /api/v1/tasks/{task}/restore',
      status: 200,
      reply: { status: 'todo', status_category: 'unstarted' },
      events: ['task.updated'],
    },
  ],
)
