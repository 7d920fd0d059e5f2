import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  rejectedStep,
  tagStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const BULK = 'POST /api/v1/tags/bulk'
const create = (name: string, project_id = '{project}') => ({
  op: 'create',
  project_id,
  data: { name },
})

scenario('creates, updates and deletes tags in bulk', [
  tagStep('project', 'Bug', 'bug'),
  tagStep('project', 'Idea', 'idea'),
  createTaskStep('Task', { tag_ids: ['{bug}', '{idea}'] }),
  {
    send: BULK,
    body: {
      operations: [
        create('New'),
        create('Elsewhere', '{hidden}'),
        { op: 'update', id: '{bug}', data: { color: '#ff0000' } },
        { op: 'update', id: '{bug}', data: { color: '#FF0000' } },
        { op: 'delete', id: '{idea}' },
        create('IDEA'),
      ],
    },
    status: 200,
    events: [
      { type: 'tag.created', project_id: '{project}', data: { name: 'New' } },
      { type: 'tag.created', project_id: '{hidden}' },
      { type: 'tag.updated', data: { id: '{bug}', color: '#ff0000' } },
      { type: 'tag.deleted', data: { id: '{idea}' } },
      { type: 'tag.created', data: { name: 'IDEA' } },
    ],
    reply: {
      succeeded: 6,
      results: [
        { status: 201, data: { name: 'New', project_id: '{project}' } },
        { status: 201, data: { project_id: '{hidden}' } },
        { status: 200, data: { color: '#ff0000', task_count: 1 } },
        { status: 200, operation_id: null },
        { status: 204, data: null },
        { status: 201 },
      ],
    },
  },
  { send: 'GET /api/v1/tasks/{Task}', status: 200, reply: { tag_ids: ['{bug}'] } },
])

scenario('a bulk request for tags names the tag that is in the way, unless it made it', [
  tagStep('project', 'Bug', 'bug'),
  rejectedStep(BULK, 409, 'tag_exists', {
    body: { operations: [create('New'), create('bug')] },
    reply: { error: { details: [{ field: 'operations[1].data.name', resource_id: '{bug}' }] } },
  }),
  rejectedStep(BULK, 409, 'tag_exists', {
    body: { operations: [create('New'), create('NEW')] },
    check: ({ body }) => {
      const { error } = body as { error: { details: object[] } }
      if ('resource_id' in (error.details[0] ?? {})) throw new Error('names what was rolled back')
    },
  }),
  {
    send: BULK,
    body: { atomic: false, operations: [create('New'), create('NEW')] },
    status: 200,
    events: ['tag.created'],
    reply: { succeeded: 1, failed: 1, results: [{ status: 201 }, { status: 409 }] },
  },
])

scenario('a bulk request for tags checks rights, scopes and its shape', [
  tagStep('project', 'Bug', 'bug'),
  rejectedStep(BULK, 403, 'insufficient_role', {
    as: 'guest',
    body: { operations: [create('New')] },
  }),
  rejectedStep(BULK, 404, 'not_found', {
    as: 'member',
    body: { operations: [create('New', '{hidden}')] },
    reply: { error: { details: [{ field: 'operations[0]' }] } },
  }),
  rejectedStep(BULK, 403, 'insufficient_scope', {
    as: ['tags:write'],
    body: { operations: [{ op: 'delete', id: '{bug}' }] },
    replyHeaders: { 'www-authenticate': /scope="tags:delete"/ },
  }),
  validationFailedStep(
    BULK,
    {
      operations: [
        { op: 'create', data: { name: 'New' } },
        { op: 'update', id: 'bug', project_id: '{project}', data: {} },
      ],
    },
    {
      'operations[0].project_id': 'required',
      'operations[1].id': 'invalid_reference',
      'operations[1].project_id': 'unknown_field',
    },
  ),
  {
    send: `${BULK}?dry_run=true`,
    as: 'member',
    body: { operations: [{ op: 'delete', id: '{bug}' }, create('Bug')] },
    status: 200,
    reply: { results: [{ status: 204 }, { status: 201 }] },
  },
])
