import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  prepareProjectChange,
  rejectedStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

const BULK = 'POST /api/v1/tasks/bulk'
const UNKNOWN = 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3'
const create = (title: string, more: object = {}) => ({
  op: 'create',
  data: { project_id: '{project}', title, ...more },
})

scenario('runs bulk operations in order, each with its own operation id', [
  createTaskStep('Task'),
  createTaskStep('Other'),
  {
    send: BULK,
    body: {
      operations: [
        create('New', { assignee_ids: ['{member}'], before_id: '{Task}' }),
        { op: 'update', id: '{Task}', version: 1, data: { priority: 'high' } },
        { op: 'update', id: '{Task}', version: 2, data: { priority: 'high' } },
        { op: 'complete', id: '{Task}' },
        { op: 'delete', id: '{Other}' },
        { op: 'restore', id: '{Other}' },
        { op: 'delete', id: '{Task}', version: 3 },
      ],
    },
    status: 200,
    replyHeaders: { 'x-operation-id': null, etag: null, location: null },
    events: [
      'task.created',
      'task.assigned',
      'task.updated',
      'task.completed',
      'task.deleted',
      'task.updated',
      'task.deleted',
    ],
    reply: { succeeded: 7, failed: 0 },
    check: ({ body }) => {
      const { results } = body as {
        results: { index: number; status: number; operation_id: string | null; data: unknown }[]
      }
      assert.deepEqual(
        results.map(({ index, status }) => [index, status]),
        [201, 200, 200, 200, 204, 200, 204].map((status, index) => [index, status]),
      )
      assert.deepEqual(
        results.map(({ data }) => data === null),
        [false, false, false, false, true, false, true],
      )
      const ids = results.map(({ operation_id }) => operation_id)
      assert.equal(ids[2], null, 'what changed nothing was no operation')
      assert.equal(new Set(ids).size, 7)
    },
  },
])

scenario('an atomic bulk request rolls everything back on an error', [
  createTaskStep('Task'),
  createTaskStep('Other', { external_source: 'a', external_id: '1' }),
  {
    send: BULK,
    body: { operations: [create('New'), { op: 'complete', id: UNKNOWN }, create('')] },
    status: 404,
    reply: {
      error: { code: 'not_found', details: [{ field: 'operations[1]', code: 'not_found' }] },
    },
  },
  {
    send: BULK,
    body: { operations: [create('New'), { op: 'update', id: '{Task}', version: 2, data: {} }] },
    status: 412,
    reply: {
      error: {
        type: 'precondition_failed',
        code: 'version_mismatch',
        details: [{ field: 'operations[1]', code: 'version_mismatch' }],
      },
    },
  },
  validationFailedStep(
    BULK,
    { operations: [create('ok'), create('', { metadata: { a: 1 } }), create('')] },
    {
      'operations[1].data.title': 'too_short',
      'operations[1].data.metadata.a': 'invalid_type',
    },
  ),
  rejectedStep(BULK, 409, 'external_id_exists', {
    body: { operations: [create('x', { external_source: 'a', external_id: '1' })] },
    reply: {
      error: {
        details: [{ field: 'operations[0].data.external_id', resource_id: '{Other}' }],
      },
    },
  }),
  rejectedStep(BULK, 409, 'external_id_exists', {
    body: { operations: [1, 2].map(() => create('x', { external_source: 'b', external_id: '1' })) },
    check: ({ body }) =>
      assert.doesNotMatch(JSON.stringify(body), /resource_id/, 'the task was rolled back'),
  }),
  listStep('/api/v1/projects/{project}/tasks', ['Task', 'Other']),
  createTaskStep('Third', {}, { reply: { number: 3 } }),
])

scenario('without atomic, each bulk operation succeeds or fails alone', [
  createTaskStep('Task'),
  createTaskStep('Theirs'),
  {
    send: BULK,
    as: 'guest',
    body: {
      atomic: false,
      operations: [
        { op: 'delete', id: '{Theirs}' },
        create('New'),
        create('Hidden', { project_id: '{hidden}' }),
        { op: 'update', id: '{Task}', data: { title: '', nonsense: 1 } },
        { op: 'complete', id: '{Task}', version: 5 },
        { op: 'complete', id: '{Task}' },
        { op: 'complete', id: '{Task}' },
        { op: 'update', id: UNKNOWN, data: { title: '' } },
      ],
    },
    status: 200,
    events: ['task.created', 'task.completed'],
    reply: {
      succeeded: 3,
      failed: 5,
      results: [
        { status: 403, error: { type: 'forbidden', code: 'insufficient_role', details: [] } },
        { status: 201, data: { number: 3, created_by_id: '{guest}' }, error: null },
        { status: 422, error: { details: [{ field: 'project_id', code: 'invalid_reference' }] } },
        {
          status: 422,
          operation_id: null,
          data: null,
          error: {
            code: 'validation_failed',
            details: [{ field: 'title' }, { field: 'nonsense', code: 'unknown_field' }],
          },
        },
        { status: 412 },
        { status: 200, error: null },
        { status: 200, operation_id: null, error: null },
        { status: 404, error: { code: 'not_found' } },
      ],
    },
  },
])

scenario('validates the whole bulk request before it runs any operation', [
  createTaskStep('Task'),
  ...validationFailedSteps(BULK, [
    [{}, { operations: 'required' }],
    [
      { operations: [], atomic: null },
      { operations: 'too_few', atomic: 'not_nullable' },
    ],
    [
      { operations: Array(101).fill(create('x')), atomic: 1 },
      { operations: 'too_many', atomic: 'invalid_type' },
    ],
    [
      {
        atomic: false,
        other: 1,
        operations: [
          create('New'),
          { op: 'move', id: '{Task}' },
          { id: '{Task}' },
          { op: 'create', id: '{Task}', version: 1 },
          { op: 'update', id: 'Task' },
          { op: 'complete', data: {} },
          { op: 'delete', id: '{Task}', version: '1' },
          { op: 'restore', id: '{Task}', more: 1 },
          { op: 'create', data: [] },
          null,
        ],
      },
      {
        other: 'unknown_field',
        'operations[1].op': 'invalid_value',
        'operations[2].op': 'required',
        'operations[3].id': 'unknown_field',
        'operations[3].version': 'unknown_field',
        'operations[3].data': 'required',
        'operations[4].id': 'invalid_reference',
        'operations[4].data': 'required',
        'operations[5].id': 'required',
        'operations[5].data': 'unknown_field',
        'operations[6].version': 'invalid_type',
        'operations[7].more': 'unknown_field',
        'operations[8].data': 'invalid_type',
        'operations[9]': 'not_nullable',
      },
    ],
  ]),
  rejectedStep(BULK, 403, 'insufficient_scope', {
    as: ['tasks:read', 'tasks:write'],
    body: { atomic: false, operations: [create('x'), { op: 'delete', id: '{Task}' }] },
    replyHeaders: { 'www-authenticate': /error="insufficient_scope", scope="tasks:delete"/ },
  }),
  {
    send: BULK,
    as: ['tasks:write'],
    body: { operations: [{ op: 'restore', id: '{Task}' }] },
    status: 200,
  },
  rejectedStep(BULK, 400, 'invalid_header', {
    headers: { 'if-match': '"1"' },
    body: { operations: [create('x')] },
  }),
  rejectedStep(BULK, 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
    body: { operations: [{ op: 'update', id: '{Task}', data: {} }] },
    reply: { error: { details: [{ field: 'operations[0]', code: 'project_archived' }] } },
  }),
])

scenario('bulk requests take a dry run and an idempotency key', [
  {
    send: `${BULK}?dry_run=true`,
    body: { operations: [create('A'), create('B')] },
    status: 200,
    reply: { succeeded: 2, results: [{ data: { number: 1 } }, { data: { number: 2 } }] },
    replyHeaders: { 'x-dry-run': 'true' },
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'b' },
    body: { operations: [create('A')] },
    status: 200,
    reply: { results: [{ data: { number: 1 } }] },
    events: ['task.created'],
    keep: { id: 'results.0.data.id' },
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'b' },
    body: { operations: [create('A')] },
    status: 200,
    reply: { results: [{ data: { id: '{id}' } }] },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
])
