import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  prepareProjectChange,
  rejectedStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const BULK = 'POST /api/v1/comments/bulk'
const UNKNOWN = 'cmt_01k2m3n4p5q6r7s8t9v0w1x2y3'
const create = (body: string, task_id = '{task}') => ({ op: 'create', task_id, data: { body } })

const commentStep = (name: string, as: 'owner' | 'member' = 'owner') => ({
  send: 'POST /api/v1/tasks/{task}/comments',
  as,
  body: { body: name },
  status: 201,
  events: ['comment.created'],
  keep: { [name]: 'id', [`${name}At`]: 'updated_at' },
})

scenario('creates, edits and deletes comments in bulk', [
  CREATE_TASK_STEP,
  commentStep('Mine'),
  commentStep('Theirs', 'member'),
  {
    send: BULK,
    body: {
      operations: [
        create('<@{member}> New', 'eng-1'),
        { op: 'update', id: '{Mine}', updated_at: '{MineAt}', data: { body: 'Edited' } },
        { op: 'update', id: '{Mine}', data: { body: 'Edited' } },
        { op: 'delete', id: '{Theirs}' },
      ],
    },
    status: 200,
    events: [
      { type: 'comment.created', data: { task_id: '{task}', mentions: ['{member}'] } },
      { type: 'comment.updated', data: { id: '{Mine}', body: 'Edited' } },
      { type: 'comment.deleted', data: { id: '{Theirs}' } },
    ],
    reply: {
      results: [
        { status: 201, data: { body: '<@{member}> New', author_id: '{owner}' } },
        { status: 200, data: { id: '{Mine}' } },
        { status: 200, operation_id: null, data: { id: '{Mine}' } },
        { status: 204, data: null },
      ],
      succeeded: 4,
      failed: 0,
    },
    replyHeaders: { 'x-operation-id': null, etag: null, location: null },
  },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { comment_count: 2 } },
])

scenario('a bulk request for comments is atomic unless it says otherwise', [
  CREATE_TASK_STEP,
  commentStep('Mine'),
  commentStep('Theirs', 'member'),
  createTaskStep('Secret', { project_id: '{hidden}' }),
  rejectedStep(BULK, 403, 'insufficient_role', {
    body: { operations: [create('New'), { op: 'update', id: '{Theirs}', data: { body: 'x' } }] },
    reply: { error: { details: [{ field: 'operations[1]', code: 'insufficient_role' }] } },
  }),
  rejectedStep(BULK, 404, 'not_found', {
    as: 'member',
    body: { operations: [create('New'), create('Unseen', '{Secret}')] },
    reply: { error: { details: [{ field: 'operations[1]' }] } },
  }),
  validationFailedStep(
    BULK,
    { operations: [create('New'), { ...create(''), data: { body: '', parent_id: 'x' } }] },
    {
      'operations[1].data.body': 'too_short',
      'operations[1].data.parent_id': 'invalid_reference',
    },
  ),
  {
    send: BULK,
    as: 'member',
    body: {
      atomic: false,
      operations: [
        { op: 'delete', id: '{Mine}' },
        create('New'),
        { op: 'update', id: '{Theirs}', updated_at: '2020-01-01T00:00:00Z', data: { body: '' } },
        { op: 'update', id: UNKNOWN, data: {} },
        create('Unseen', '{Secret}'),
        { op: 'update', id: '{Theirs}', data: { body: '', author_id: '{owner}' } },
      ],
    },
    status: 200,
    events: ['comment.created'],
    reply: {
      succeeded: 1,
      failed: 5,
      results: [
        { status: 403, error: { code: 'insufficient_role' } },
        { status: 201, data: { author_id: '{member}' } },
        { status: 412, error: { code: 'version_mismatch' } },
        { status: 404, error: { code: 'not_found' } },
        { status: 404 },
        {
          status: 422,
          error: { details: [{ field: 'body' }, { field: 'author_id', code: 'read_only_field' }] },
        },
      ],
    },
  },
  {
    send: 'GET /api/v1/tasks/{task}/comments',
    status: 200,
    reply: { data: [{ id: '{Mine}' }, { id: '{Theirs}' }, { body: 'New' }] },
  },
])

scenario('a bulk request for comments checks its shape, scopes and headers first', [
  CREATE_TASK_STEP,
  commentStep('Mine'),
  validationFailedStep(
    BULK,
    {
      operations: [
        create('New', 'nothing'),
        { op: 'create', id: '{Mine}', data: {} },
        { op: 'update', id: '{task}', task_id: '{task}' },
        { op: 'delete', id: '{Mine}', data: {}, version: 1 },
        { op: 'complete', id: '{Mine}' },
      ],
    },
    {
      'operations[0].task_id': 'invalid_reference',
      'operations[1].id': 'unknown_field',
      'operations[1].task_id': 'required',
      'operations[2].id': 'invalid_reference',
      'operations[2].task_id': 'unknown_field',
      'operations[2].data': 'required',
      'operations[3].data': 'unknown_field',
      'operations[3].version': 'unknown_field',
      'operations[4].op': 'invalid_value',
    },
  ),
  rejectedStep(BULK, 403, 'insufficient_scope', { as: ['tasks:write'], body: {} }),
  rejectedStep(BULK, 403, 'insufficient_scope', {
    as: ['comments:write'],
    body: { operations: [create('New'), { op: 'delete', id: '{Mine}' }] },
    replyHeaders: { 'www-authenticate': /scope="comments:delete"/ },
  }),
  rejectedStep(BULK, 400, 'invalid_header', {
    headers: { 'if-match': '"1"' },
    body: { operations: [create('New')] },
  }),
  {
    send: `${BULK}?dry_run=true`,
    body: { operations: [create('Not yet')] },
    status: 200,
    reply: { results: [{ status: 201, data: { body: 'Not yet' } }] },
    replyHeaders: { 'x-dry-run': 'true' },
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'c' },
    body: { operations: [create('Once')] },
    status: 200,
    events: ['comment.created'],
    keep: { once: 'results.0.data.id' },
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'c' },
    body: { operations: [create('Once')] },
    status: 200,
    reply: { results: [{ data: { id: '{once}' } }] },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
  rejectedStep(BULK, 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
    body: { operations: [create('Too late')] },
    reply: { error: { details: [{ resource_id: '{project}' }] } },
  }),
])
