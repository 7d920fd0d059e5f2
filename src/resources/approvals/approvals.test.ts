import assert from 'node:assert/strict'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep, tagStep } from '#test/support/scenario/steps.ts'
import type { Supervision } from '#wire/supervision.ts'

const NOTHING: Supervision = {
  deletions: false,
  moves: false,
  webhooks: false,
  members: false,
  records_per_request: null,
  records_per_hour: null,
}

/** Creates a supervised key of the member. */
const createKey = (supervision: Partial<Supervision>, more: Partial<ScenarioStep> = {}) => ({
  send: 'POST /internal/api-keys',
  as: 'member session' as const,
  body: { name: 'Agent', preset: 'full', supervision: { ...NOTHING, ...supervision } },
  status: 201,
  reply: { supervision: { ...NOTHING, ...supervision }, allowed_until: null, paused_at: null },
  keep: { key: 'id', agent: 'api_key' },
  ...more,
})

const byAgent = { as: 'nobody' as const, headers: { authorization: 'Bearer {agent}' } }
const createTask = (title: string, id: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  ...byAgent,
  body: { project_id: '{project}', title },
  status: 201,
  events: ['task.created'],
  keep: { [id]: 'id' },
  ...more,
})
/** A request that has to wait, and the id under which it does. */
const waits = (
  send: string,
  reasons: string[],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send,
  ...byAgent,
  status: 202,
  reply: { status: 'pending', reasons, reply: null },
  keep: { waiting: 'id' },
  ...more,
})
const allow = (more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: 'POST /internal/approvals/{waiting}/allow',
  as: 'member session',
  body: {},
  status: 200,
  reply: { id: '{waiting}', status: 'done', decided_by: { id: '{member}' } },
  ...more,
})
const exists = (id: string): ScenarioStep => ({ send: `GET /api/v1/tasks/{${id}}`, status: 200 })

scenario('a deletion by a supervised key waits until its owner allows it', [
  createKey({ deletions: true }),
  createTask('Old', 'task'),
  waits('DELETE /api/v1/tasks/{task}', ['deletions'], {
    replyHeaders: { location: /\/api\/v1\/operations\/opr_/ },
    reply: {
      status: 'pending',
      reasons: ['deletions'],
      actor: { type: 'api_key', user_id: '{member}', credential_id: '{key}' },
      changes: [{ event_type: 'task.deleted', record_id: '{task}', name: 'Old' }],
    },
  }),
  exists('task'),
  // The same request again is the same operation.
  waits('DELETE /api/v1/tasks/{task}', ['deletions'], {
    reply: { id: '{waiting}', status: 'pending' },
  }),
  {
    send: 'GET /internal/approvals',
    as: 'member session',
    status: 200,
    reply: {
      data: [
        {
          id: '{waiting}',
          credential: { type: 'api_key', id: '{key}', name: 'Agent' },
          endpoint: 'DELETE /api/v1/tasks/:id',
          request: { params: { id: '{task}' } },
          record_count: 1,
        },
      ],
      has_more: false,
    },
  },
  {
    send: 'GET /internal/notifications',
    as: 'member session',
    status: 200,
    reply: {
      data: [
        {
          kind: 'approval',
          approval: { id: '{waiting}', credential_name: 'Agent', record_count: 1 },
        },
      ],
    },
  },
  // Neither the credential nor somebody else decides.
  rejectedStep('POST /internal/approvals/{waiting}/allow', 403, 'session_required', byAgent),
  rejectedStep('POST /internal/approvals/{waiting}/allow', 404, 'not_found', {
    as: 'guest session',
    body: {},
  }),
  rejectedStep('GET /internal/approvals/{waiting}', 404, 'not_found', { as: 'guest session' }),
  { send: 'GET /internal/approvals', as: 'guest session', status: 200, reply: { data: [] } },
  { send: 'GET /internal/approvals/{waiting}', as: 'admin session', status: 200 },
  {
    send: 'GET /api/v1/operations/{waiting}',
    ...byAgent,
    status: 200,
    reply: { status: 'pending', reply: null },
  },
  allow({
    events: ['task.deleted'],
    replyHeaders: { 'x-operation-id': /^opr_/ },
    check: ({ headers }, { waiting }) => assert.equal(headers['x-operation-id'], waiting),
  }),
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'already_decided', {
    as: 'member session',
    body: {},
  }),
  {
    send: 'GET /api/v1/operations/{waiting}',
    ...byAgent,
    status: 200,
    reply: { status: 'done', reply: { status: 204, body: null }, changes: [{}] },
  },
  { send: 'GET /internal/notifications', as: 'member session', status: 200, reply: { data: [] } },
  // It is an operation as any other, which can be undone.
  {
    send: 'POST /api/v1/operations/{waiting}/undo',
    as: 'member session',
    body: {},
    status: 200,
    reply: { undone_count: 1 },
    events: ['task.updated'],
  },
])

scenario('no spelling of a deletion gets round the supervision of a key', [
  createKey({ deletions: true }),
  createTask('First', 'first'),
  {
    ...createTask('Second', 'second'),
    replyHeaders: { 'x-operation-id': /^opr_/ },
  },
  {
    send: 'GET /api/v1/operations?user_id={member}&limit=1',
    status: 200,
    keep: { creation: 'data.0.id' },
  },
  waits('POST /api/v1/tasks/bulk', ['deletions'], {
    body: { operations: [{ op: 'delete', id: '{first}' }] },
  }),
  waits('POST /api/v1/tasks/bulk', ['deletions'], {
    body: {
      atomic: false,
      operations: [
        { op: 'update', id: '{first}', data: { title: 'Changed' } },
        { op: 'delete', id: '{second}' },
      ],
    },
  }),
  waits('POST /api/v1/operations/{creation}/undo', ['deletions'], { body: {} }),
  waits('POST /api/v1/operations/undo', ['deletions'], {
    body: { since: '2000-01-01T00:00:00Z' },
  }),
  { send: 'GET /api/v1/tasks/{first}', status: 200, reply: { title: 'First' } },
  exists('second'),
  // A dry run does nothing, so nobody is asked.
  {
    send: 'POST /api/v1/operations/{creation}/undo?dry_run=true',
    ...byAgent,
    body: {},
    status: 200,
    reply: { undone_count: 1 },
  },
])

scenario('no spelling of a move gets round the supervision of a key', [
  createKey({ moves: true }, { as: 'session' }),
  {
    send: 'POST /internal/projects',
    as: 'session',
    body: { name: 'Other', prefix: 'OTH' },
    status: 201,
    events: ['project.created'],
    keep: { other: 'id' },
  },
  createTask('Here', 'task', {
    body: {
      project_id: '{project}',
      title: 'Here',
      external_source: 'crm',
      external_id: '1',
    },
    keep: { task: 'id', short: 'short_id' },
  }),
  waits('PATCH /api/v1/tasks/{task}', ['moves'], { body: { project_id: '{other}' } }),
  waits('PATCH /api/v1/tasks/{short}', ['moves'], { body: { project_id: '{other}' } }),
  waits('POST /api/v1/tasks/bulk', ['moves'], {
    body: { operations: [{ op: 'update', id: '{short}', data: { project_id: '{other}' } }] },
  }),
  waits('POST /api/v1/tasks/bulk', ['moves'], {
    body: {
      operations: [
        {
          op: 'upsert',
          data: {
            project_id: '{other}',
            title: 'Here',
            external_source: 'crm',
            external_id: '1',
          },
        },
      ],
    },
  }),
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { project_id: '{project}' } },
  // It gets the next number of the other project, whatever that is by then.
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{other}', title: 'There' },
    status: 201,
    events: ['task.created'],
  },
  allow({ as: 'session', reply: { status: 'done' }, events: ['task.updated'] }),
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { short_id: 'OTH-2' } },
])

const tasks = (...titles: string[]) => ({
  operations: titles.map((title) => ({ op: 'create', data: { project_id: '{project}', title } })),
})

scenario('a supervised key changes only so many records in a request and in an hour', [
  createKey({ records_per_request: 2, records_per_hour: 4 }),
  waits('POST /api/v1/tasks/bulk', ['records_per_request'], { body: tasks('A', 'B', 'C') }),
  {
    send: 'POST /api/v1/tasks/bulk',
    ...byAgent,
    body: tasks('A', 'B'),
    status: 200,
    events: ['task.created', 'task.created'],
  },
  createTask('C', 'c'),
  createTask('D', 'd'),
  waits('POST /api/v1/tasks', ['records_per_hour'], {
    body: { project_id: '{project}', title: 'E' },
  }),
  {
    send: 'POST /internal/approvals/{waiting}/allow',
    as: 'member session',
    body: { for_an_hour: true },
    status: 200,
    reply: { status: 'done' },
    events: ['task.created'],
    audited: [{ action: 'credential.allowed', subject_id: '{key}' }],
  },
  createTask('F', 'f'),
])

scenario('a supervised key asks before it changes webhooks, and only it reads the reply', [
  createKey({ webhooks: true }, { as: 'session' }),
  waits('POST /api/v1/webhooks', ['webhooks'], {
    body: { url: 'https://hooks.example.com/a', events: ['task.created'] },
    reply: { reasons: ['webhooks'], changes: [] },
  }),
  {
    send: 'POST /internal/approvals/{waiting}/allow',
    as: 'session',
    body: {},
    status: 200,
    reply: { status: 'done' },
  },
  {
    send: 'GET /api/v1/operations/{waiting}',
    ...byAgent,
    status: 200,
    reply: { status: 'done', reply: { status: 201, body: { url: 'https://hooks.example.com/a' } } },
    keep: { hook: 'reply.body.id', secret: 'reply.body.secret' },
  },
  { send: 'GET /api/v1/operations/{waiting}', status: 200, reply: { reply: null } },
  waits('PATCH /api/v1/webhooks/{hook}', ['webhooks'], { body: { is_active: false } }),
])

scenario('shows what has changed since, and overwrites nothing', [
  createKey({ deletions: true, records_per_request: 1 }),
  createTask('Draft', 'task'),
  createTask('Other', 'other'),
  waits('DELETE /api/v1/tasks/{task}', ['deletions']),
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { title: 'Needed after all' },
    status: 200,
    events: ['task.updated'],
  },
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'changed_since', {
    as: 'member session',
    body: {},
  }),
  {
    send: 'GET /internal/approvals/{waiting}',
    as: 'member session',
    status: 200,
    reply: { status: 'pending', changes: [{ name: 'Needed after all' }] },
  },
  allow({ events: ['task.deleted'] }),
  waits('POST /api/v1/tasks/bulk', ['records_per_request'], {
    body: {
      operations: [
        { op: 'update', id: '{other}', data: { title: 'Agent' } },
        { op: 'create', data: { project_id: '{project}', title: 'New' } },
      ],
    },
  }),
  {
    send: 'PATCH /api/v1/tasks/{other}',
    body: { title: 'Person' },
    status: 200,
    events: ['task.updated'],
  },
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'changed_since', {
    as: 'member session',
    body: {},
  }),
  {
    send: 'GET /internal/approvals/{waiting}',
    as: 'member session',
    status: 200,
    reply: { changes: [{ changes: { title: { from: 'Person', to: 'Agent' } } }, {}] },
    keep: { seen: 'version' },
  },
  // The owner of the key may change what it does, and sees it before.
  rejectedStep('PATCH /internal/approvals/{waiting}', 403, 'insufficient_role', {
    as: 'admin session',
    body: { request_body: {} },
  }),
  rejectedStep('PATCH /internal/approvals/{waiting}', 422, 'validation_failed', {
    as: 'member session',
    body: { request_body: { operations: [] } },
  }),
  {
    send: 'PATCH /internal/approvals/{waiting}',
    as: 'member session',
    body: {
      request_body: {
        operations: [
          { op: 'update', id: '{other}', data: { title: 'Both' } },
          { op: 'create', data: { project_id: '{project}', title: 'New' } },
        ],
      },
    },
    status: 200,
    reply: {
      status: 'pending',
      changes: [{ changes: { title: { from: 'Person', to: 'Both' } } }, {}],
    },
  },
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'changed_since', {
    as: 'member session',
    body: { version: '{seen}' },
  }),
  // What is created has another id and time each time, which changes nothing.
  allow({ events: ['task.updated', 'task.created'] }),
])

scenario('a request is allowed with the rights of that moment', [
  createKey({ deletions: true }),
  createTask('One', 'one'),
  createTask('Two', 'two'),
  waits('DELETE /api/v1/tasks/{one}', ['deletions']),
  {
    send: 'DELETE /api/v1/tasks/{one}',
    status: 204,
    events: ['task.deleted'],
  },
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'changed_since', {
    as: 'member session',
    body: {},
  }),
  waits('DELETE /api/v1/tasks/{two}', ['deletions']),
  {
    send: 'PATCH /internal/api-keys/{key}',
    as: 'member session',
    body: { paused: true },
    status: 200,
    audited: ['credential.paused'],
  },
  rejectedStep('GET /api/v1/me', 403, 'credential_paused', byAgent),
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'credential_inactive', {
    as: 'member session',
    body: {},
  }),
  {
    send: 'PATCH /internal/api-keys/{key}',
    as: 'member session',
    body: { paused: false },
    status: 200,
    reply: { paused_at: null, supervision: { deletions: true } },
    audited: ['credential.resumed'],
  },
  { send: 'GET /api/v1/me', ...byAgent, status: 200 },
  {
    send: 'POST /internal/approvals/{waiting}/refuse',
    as: 'admin session',
    body: {},
    status: 200,
    reply: { status: 'refused', decided_by: { id: '{admin}' } },
  },
  {
    send: 'GET /api/v1/operations/{waiting}',
    ...byAgent,
    status: 200,
    reply: { status: 'refused' },
  },
  rejectedStep('POST /internal/approvals/{waiting}/refuse', 409, 'already_decided', {
    as: 'member session',
    body: {},
  }),
  exists('two'),
  waits('DELETE /api/v1/tasks/{two}', ['deletions']),
  { send: 'DELETE /internal/api-keys/{key}', as: 'member session', status: 204 },
  rejectedStep('POST /internal/approvals/{waiting}/allow', 409, 'credential_inactive', {
    as: 'member session',
    body: {},
  }),
])

scenario('a repeated Idempotency-Key gets the same operation, also once it is allowed', [
  createKey({ deletions: true }),
  createTask('One', 'one'),
  waits('DELETE /api/v1/tasks/{one}', ['deletions'], {
    headers: { ...byAgent.headers, 'idempotency-key': 'k1' },
  }),
  allow({ events: ['task.deleted'] }),
  waits('DELETE /api/v1/tasks/{one}', ['deletions'], {
    headers: { ...byAgent.headers, 'idempotency-key': 'k1' },
    reply: { id: '{waiting}' },
    replyHeaders: { 'idempotency-replayed': 'true' },
  }),
])

const isAskedAgain = rejectedStep(
  'POST /internal/approvals/{waiting}/allow',
  409,
  'changed_since',
  {
    as: 'member session',
    body: {},
  },
)

scenario('asks again when a time, what is created, or what is on a deleted task has changed', [
  createKey({ deletions: true, records_per_hour: 1 }),
  createTask('Pay 100', 'task'),
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { due_date: '2027-01-04', recurrence: { rrule: 'FREQ=WEEKLY', basis: 'due_date' } },
    status: 200,
    events: ['task.updated'],
  },
  {
    send: 'POST /api/v1/tasks/{task}/time-entries',
    as: 'member',
    body: { duration_seconds: 60 },
    status: 201,
    events: ['time_entry.created'],
    keep: { entry: 'id' },
  },
  waits('PATCH /api/v1/time-entries/{entry}', ['records_per_hour'], {
    body: { duration_seconds: 120 },
  }),
  {
    send: 'PATCH /api/v1/time-entries/{entry}',
    body: { duration_seconds: 3_600 },
    status: 200,
    events: ['time_entry.updated'],
  },
  isAskedAgain,
  waits('POST /api/v1/tasks/{task}/complete', ['records_per_hour'], { body: {} }),
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { title: 'Pay 100,000' },
    status: 200,
    events: ['task.updated'],
  },
  isAskedAgain,
  waits('DELETE /api/v1/tasks/{task}', ['deletions', 'records_per_hour']),
  {
    send: 'POST /api/v1/tasks/{task}/comments',
    body: { body: 'Do not delete this' },
    status: 201,
    events: ['comment.created'],
  },
  isAskedAgain,
])

scenario('asks before a webhook is deleted, and counts the tasks from which a tag is taken', [
  createKey({ deletions: true }, { as: 'session' }),
  {
    send: 'POST /api/v1/webhooks',
    body: { url: 'https://example.com/hook', events: ['*'] },
    status: 201,
    keep: { hook: 'id' },
  },
  waits('DELETE /api/v1/webhooks/{hook}', ['deletions']),
  createKey({ records_per_request: 2 }, { as: 'session' }),
  tagStep('project', 'bug', 'tag'),
  ...['One', 'Two'].map((title) => createTaskStep(title, { tag_ids: ['{tag}'] })),
  waits('DELETE /api/v1/tags/{tag}', ['records_per_request'], { reply: { event_count: 3 } }),
])
