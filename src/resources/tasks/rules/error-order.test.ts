import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, prepareProjectChange, rejectedStep } from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

const UNKNOWN = 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3'

/**
 * A request with every possible error. Each step fixes the first error in the documented order
 * (docs/spec/api.md#order-of-checks), so that the next one answers.
 */
interface WriteEndpointCase {
  send: (id: string) => string
  body?: object
  wrong: object
  /** The checks of the endpoint in addition to the common ones. */
  guests?: true
  scope: 'tasks:write' | 'tasks:delete'
}

const WRITING: Record<string, WriteEndpointCase> = {
  PATCH: {
    send: (id) => `PATCH /api/v1/tasks/${id}`,
    body: { title: 'x' },
    wrong: { title: '' },
    scope: 'tasks:write',
  },
  DELETE: {
    send: (id) => `DELETE /api/v1/tasks/${id}`,
    wrong: {},
    guests: true,
    scope: 'tasks:delete',
  },
  complete: {
    send: (id) => `POST /api/v1/tasks/${id}/complete`,
    body: {},
    wrong: { x: 1 },
    scope: 'tasks:write',
  },
  restore: {
    send: (id) => `POST /api/v1/tasks/${id}/restore`,
    body: {},
    wrong: { x: 1 },
    guests: true,
    scope: 'tasks:write',
  },
}

for (const [name, { send, body, wrong, guests, scope }] of Object.entries(WRITING)) {
  const other: Partial<ScenarioStep> = { as: guests ? 'guest' : 'owner' }
  const stale = { 'if-match': '"99"' }
  const withBody = body !== undefined
  scenario(`checks a request in the documented order of errors: ${name}`, [
    createTaskStep('Task'),
    rejectedStep(`${send(UNKNOWN)}/x?x=1`, 404, 'route_not_found', { as: 'nobody' }),
    rejectedStep(`${send(UNKNOWN)}?x=1`, 401, 'authentication_required', { as: 'nobody' }),
    rejectedStep(`${send(UNKNOWN)}?x=1`, 403, 'insufficient_scope', {
      as: ['tasks:read'],
      body: '{',
    }),
    ...(withBody
      ? [
          rejectedStep(`${send(UNKNOWN)}?x=1`, 415, 'unsupported_media_type', {
            body: '{',
            headers: { 'content-type': 'text/plain' },
          }),
          rejectedStep(`${send(UNKNOWN)}?x=1`, 400, 'invalid_json', { body: '{', headers: stale }),
        ]
      : []),
    rejectedStep(`${send(UNKNOWN)}?x=1`, 400, 'invalid_parameter', { body: wrong, headers: stale }),
    rejectedStep(send(UNKNOWN), 400, 'invalid_header', {
      body: wrong,
      headers: { 'if-match': '1' },
    }),
    rejectedStep(send(UNKNOWN), 400, 'invalid_header', {
      body: wrong,
      headers: { 'idempotency-key': 'a b' },
    }),
    createTaskStep('Key', {}, { headers: { 'idempotency-key': 'k' } }),
    rejectedStep(send(UNKNOWN), 422, 'idempotency_key_reused', {
      body: wrong,
      headers: { ...stale, 'idempotency-key': 'k' },
    }),
    rejectedStep(send(UNKNOWN), 404, 'not_found', { body: wrong, headers: stale }),
    rejectedStep(send('{Task}'), 404, 'not_found', { as: 'stranger', body: wrong, headers: stale }),
    ...(guests
      ? [
          rejectedStep(send('{Task}'), 403, 'insufficient_role', {
            ...other,
            body: wrong,
            headers: stale,
          }),
        ]
      : []),
    rejectedStep(send('{Task}'), 412, 'version_mismatch', {
      prepare: prepareProjectChange('project', { archived: true }),
      body: wrong,
      headers: stale,
    }),
    ...(withBody ? [rejectedStep(send('{Task}'), 422, 'validation_failed', { body: wrong })] : []),
    rejectedStep(send('{Task}'), 409, 'project_archived', {
      ...(body && { body }),
      as: [scope],
    }),
  ])
}

scenario('checks a new task in the documented order of errors', [
  createTaskStep('Task', { external_source: 'a', external_id: 'b' }),
  rejectedStep('POST /api/v1/tasks?x=1', 401, 'authentication_required', { as: 'nobody' }),
  rejectedStep('POST /api/v1/tasks?x=1', 403, 'insufficient_scope', {
    as: ['tasks:read'],
    body: '{',
  }),
  rejectedStep('POST /api/v1/tasks?x=1', 415, 'unsupported_media_type', {
    body: '{',
    headers: { 'content-type': 'text/plain' },
  }),
  rejectedStep('POST /api/v1/tasks?x=1', 400, 'invalid_json', { body: '{' }),
  rejectedStep('POST /api/v1/tasks?x=1', 400, 'invalid_parameter', { body: {} }),
  rejectedStep('POST /api/v1/tasks', 422, 'validation_failed', {
    prepare: prepareProjectChange('project', { archived: true }),
    body: { project_id: '{project}', title: 'x', parent_id: UNKNOWN },
    headers: { 'if-match': 'ignored here' },
  }),
  rejectedStep('POST /api/v1/tasks', 409, 'project_archived', {
    body: { project_id: '{project}', title: 'x' },
  }),
])

scenario('answers an idempotent replay before loading the task, ignoring the order of members', [
  createTaskStep('Task'),
  ...[{ 'idempotency-replayed': null }, { 'idempotency-replayed': 'true' }].map(
    (replyHeaders, time): ScenarioStep => ({
      send: 'DELETE /api/v1/tasks/{Task}',
      headers: { 'idempotency-key': 'gone' },
      status: 204,
      replyHeaders,
      events: time === 0 ? ['task.deleted'] : [],
    }),
  ),
  rejectedStep('DELETE /api/v1/tasks/{Task}', 404, 'not_found', {
    headers: { 'idempotency-key': 'o' },
  }),
  {
    ...createTaskStep('New', {}, { headers: { 'idempotency-key': 'new' } }),
    keep: { New: 'id' },
  },
  {
    send: 'POST /api/v1/tasks',
    body: '{ "title": "New", "project_id": "{project}" }',
    headers: { 'idempotency-key': 'new' },
    status: 201,
    reply: { id: '{New}' },
    replyHeaders: {
      'idempotency-replayed': 'true',
      location: /{New}|tsk_/,
      etag: /^"1-/,
      'x-operation-id': /^opr_/,
    },
  },
  rejectedStep('POST /api/v1/tasks', 422, 'idempotency_key_reused', {
    body: { project_id: '{project}', title: 'Newer' },
    headers: { 'idempotency-key': 'new' },
  }),
  {
    send: 'POST /api/v1/tasks',
    as: 'member',
    body: { project_id: '{project}', title: 'Of another person' },
    headers: { 'idempotency-key': 'new' },
    status: 201,
    events: ['task.created'],
  },
  {
    send: 'POST /api/v1/tasks?dry_run=true',
    body: { project_id: '{project}', title: 'Newer' },
    headers: { 'idempotency-key': 'new' },
    status: 201,
    replyHeaders: { 'idempotency-replayed': null },
  },
  rejectedStep('POST /api/v1/tasks', 422, 'validation_failed', {
    body: { project_id: '{project}', title: '' },
    headers: { 'idempotency-key': 'failed' },
  }),
  createTaskStep('Later', {}, { headers: { 'idempotency-key': 'failed' } }),
])

const clock = createTestClock()
const DAY_MS = 24 * 60 * 60 * 1000

scenario(
  'an idempotency key expires after a day; an empty change has no operation id',
  [
    createTaskStep('Task'),
    ...[{ 'x-operation-id': /^opr_/ }, { 'x-operation-id': null }].map(
      (replyHeaders, time): ScenarioStep => ({
        send: 'PATCH /api/v1/tasks/{Task}',
        prepare: async () => {
          clock.advance(time * DAY_MS)
        },
        headers: { 'idempotency-key': 'k' },
        body: { title: 'New' },
        status: 200,
        replyHeaders: { ...replyHeaders, 'idempotency-replayed': null },
        events: time === 0 ? ['task.updated'] : [],
      }),
    ),
  ],
  {},
  { clock },
)
