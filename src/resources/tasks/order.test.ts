import { createTestClock } from '#test/support/clock.ts'
import { type Step, scenario } from '#test/support/scenario.ts'
import { changing, made, refused } from '#test/support/steps.ts'

const UNKNOWN = 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3'

/**
 * All that can be wrong with a request to an endpoint; each step of the contract's order (2.3) takes
 * the first fault away, and so the next one answers.
 */
interface Writing {
  send: (id: string) => string
  body?: object
  wrong: object
  /** Which steps the endpoint has beyond those of all. */
  guests?: true
  scope: 'tasks:write' | 'tasks:delete'
}

const WRITING: Record<string, Writing> = {
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
  const other: Partial<Step> = { as: guests ? 'guest' : 'owner' }
  const stale = { 'if-match': '"99"' }
  const withBody = body !== undefined
  scenario(`what is wrong with a request is told in the order of the contract: ${name}`, [
    made('Task'),
    refused(`${send(UNKNOWN)}/x?x=1`, 404, 'route_not_found', { as: 'nobody' }),
    refused(`${send(UNKNOWN)}?x=1`, 401, 'authentication_required', { as: 'nobody' }),
    refused(`${send(UNKNOWN)}?x=1`, 403, 'insufficient_scope', { as: ['tasks:read'], body: '{' }),
    ...(withBody
      ? [
          refused(`${send(UNKNOWN)}?x=1`, 415, 'unsupported_media_type', {
            body: '{',
            headers: { 'content-type': 'text/plain' },
          }),
          refused(`${send(UNKNOWN)}?x=1`, 400, 'invalid_json', { body: '{', headers: stale }),
        ]
      : []),
    refused(`${send(UNKNOWN)}?x=1`, 400, 'invalid_parameter', { body: wrong, headers: stale }),
    refused(send(UNKNOWN), 400, 'invalid_header', { body: wrong, headers: { 'if-match': '1' } }),
    refused(send(UNKNOWN), 400, 'invalid_header', {
      body: wrong,
      headers: { 'idempotency-key': 'a b' },
    }),
    made('Key', {}, { headers: { 'idempotency-key': 'k' } }),
    refused(send(UNKNOWN), 422, 'idempotency_key_reused', {
      body: wrong,
      headers: { ...stale, 'idempotency-key': 'k' },
    }),
    refused(send(UNKNOWN), 404, 'not_found', { body: wrong, headers: stale }),
    refused(send('{Task}'), 404, 'not_found', { as: 'stranger', body: wrong, headers: stale }),
    ...(guests
      ? [
          refused(send('{Task}'), 403, 'insufficient_role', {
            ...other,
            body: wrong,
            headers: stale,
          }),
        ]
      : []),
    refused(send('{Task}'), 412, 'version_mismatch', {
      prepare: changing('project', { archived: true }),
      body: wrong,
      headers: stale,
    }),
    ...(withBody ? [refused(send('{Task}'), 422, 'validation_failed', { body: wrong })] : []),
    refused(send('{Task}'), 409, 'project_archived', {
      ...(body && { body }),
      as: [scope],
    }),
  ])
}

scenario('what is wrong with a new task is told in the order of the contract', [
  made('Task', { external_source: 'a', external_id: 'b' }),
  refused('POST /api/v1/tasks?x=1', 401, 'authentication_required', { as: 'nobody' }),
  refused('POST /api/v1/tasks?x=1', 403, 'insufficient_scope', { as: ['tasks:read'], body: '{' }),
  refused('POST /api/v1/tasks?x=1', 415, 'unsupported_media_type', {
    body: '{',
    headers: { 'content-type': 'text/plain' },
  }),
  refused('POST /api/v1/tasks?x=1', 400, 'invalid_json', { body: '{' }),
  refused('POST /api/v1/tasks?x=1', 400, 'invalid_parameter', { body: {} }),
  refused('POST /api/v1/tasks', 422, 'validation_failed', {
    prepare: changing('project', { archived: true }),
    body: { project_id: '{project}', title: 'x', parent_id: UNKNOWN },
    headers: { 'if-match': 'ignored here' },
  }),
  refused('POST /api/v1/tasks', 409, 'project_archived', {
    body: { project_id: '{project}', title: 'x' },
  }),
])

scenario('a replay comes before the task is looked up, and the order of members does not matter', [
  made('Task'),
  ...[{ 'idempotency-replayed': null }, { 'idempotency-replayed': 'true' }].map(
    (replyHeaders, time): Step => ({
      send: 'DELETE /api/v1/tasks/{Task}',
      headers: { 'idempotency-key': 'gone' },
      status: 204,
      replyHeaders,
      events: time === 0 ? ['task.deleted'] : [],
    }),
  ),
  refused('DELETE /api/v1/tasks/{Task}', 404, 'not_found', { headers: { 'idempotency-key': 'o' } }),
  {
    ...made('New', {}, { headers: { 'idempotency-key': 'new' } }),
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
  refused('POST /api/v1/tasks', 422, 'idempotency_key_reused', {
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
  refused('POST /api/v1/tasks', 422, 'validation_failed', {
    body: { project_id: '{project}', title: '' },
    headers: { 'idempotency-key': 'failed' },
  }),
  made('Later', {}, { headers: { 'idempotency-key': 'failed' } }),
])

const clock = createTestClock()
const DAY_MS = 24 * 60 * 60 * 1000

scenario(
  'after a day a key is free again, and what changes nothing then is no operation',
  [
    made('Task'),
    ...[{ 'x-operation-id': /^opr_/ }, { 'x-operation-id': null }].map(
      (replyHeaders, time): Step => ({
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
