import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { createUserActor } from '#core/actor.ts'
import { RequestLog, type RequestLogEntry } from '#core/request-log.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario, valueAt } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { SCOPES } from '#wire/scopes.ts'
import { CHECK_NAMES, type RequestCheckName, type RequestDetails } from './contract.ts'

/** Remembers the id of a request, which its reply has in a header. */
const keepRequest =
  (name: string): NonNullable<ScenarioStep['check']> =>
  ({ headers }, known) => {
    known[name] = headers['x-request-id'] ?? ''
  }

const asksWhy = (name: string, reply: object, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `GET /api/v1/requests/{${name}}`,
  status: 200,
  reply: { id: `{${name}}`, ...reply },
  ...more,
})

/** The outcomes of all checks, of which one has ended the request. */
const endedAt = (end: RequestCheckName, outcome = 'refused'): object[] =>
  CHECK_NAMES.map((name, at) => {
    const index = CHECK_NAMES.indexOf(end)
    return { name, outcome: at < index ? 'passed' : at === index ? outcome : 'not_reached' }
  })

/** A request that is refused, and a question why; errors lead to the answer. */
const refusedAt = (
  end: RequestCheckName,
  send: string,
  [status, error_code]: [number, string],
  more: Partial<ScenarioStep> = {},
): ScenarioStep[] => [
  {
    send,
    status,
    ...more,
    replyHeaders: { link: /^<\/api\/v1\/requests\/req_[0-9a-z]{26}>; rel="describedby"$/ },
    check: keepRequest(end),
  },
  asksWhy(
    end,
    { status, error_code, checks: endedAt(end), operation_id: null, event_count: null },
    { as: more.as === 'session' ? 'session' : 'owner' },
  ),
]

const TASK = '/api/v1/tasks/{Mine}'

scenario('tells which check has refused a request', [
  createTaskStep('Mine'),
  {
    send: 'POST /api/v1/webhooks',
    body: { url: 'https://example.com/hook', events: ['*'] },
    status: 201,
    keep: { hook: 'id' },
  },
  ...refusedAt('origin', `DELETE ${TASK}`, [403, 'csrf_rejected'], {
    as: 'session',
    headers: { origin: 'https://evil.example' },
  }),
  ...refusedAt('scope', `GET ${TASK}`, [403, 'insufficient_scope'], { as: ['tags:read'] }),
  ...refusedAt('body', `PATCH ${TASK}`, [415, 'unsupported_media_type'], {
    raw: Buffer.from('{}'),
    headers: { 'content-type': 'text/plain' },
  }),
  ...refusedAt('parameters', 'GET /api/v1/tasks?sort=size', [400, 'invalid_parameter']),
  ...refusedAt('record', 'GET /api/v1/tasks/ENG-404', [404, 'not_found']),
  ...refusedAt('role', 'GET /api/v1/webhooks/{hook}', [403, 'insufficient_role'], { as: 'member' }),
  ...refusedAt('precondition', `PATCH ${TASK}`, [412, 'version_mismatch'], {
    body: { title: 'New' },
    headers: { 'if-match': '"99"' },
  }),
  ...refusedAt('fields', `PATCH ${TASK}`, [422, 'validation_failed'], { body: { titel: 'New' } }),
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'bug' },
    status: 201,
    events: ['tag.created'],
  },
  ...refusedAt('state', 'POST /api/v1/projects/{project}/tags', [409, 'tag_exists'], {
    body: { name: 'bug' },
  }),
])

scenario('tells whom a request was taken for, its limit, its operation and its events', [
  {
    send: 'POST /api/v1/tasks?dry_run=false',
    as: 'member',
    body: { project_id: '{project}', title: 'Mine', assignee_ids: ['{member}'] },
    status: 201,
    events: ['task.created', 'task.assigned'],
    check: (reply, known) => {
      keepRequest('made')(reply, known)
      known.operation = reply.headers['x-operation-id'] ?? ''
      known.remaining = reply.headers['x-ratelimit-remaining'] ?? ''
    },
  },
  asksWhy(
    'made',
    {
      method: 'POST',
      route: '/api/v1/tasks',
      actor: { type: 'api_key', user_id: '{member}', role: 'member' },
      status: 201,
      error_code: null,
      checks: CHECK_NAMES.map((name) => ({ name, outcome: 'passed' })),
      idempotency: 'none',
      operation_id: '{operation}',
      event_count: 2,
    },
    {
      as: 'member',
      check: ({ body }, { remaining }) => {
        assert.equal(valueAt(body, 'rate_limit.remaining'), remaining)
        assert.match(valueAt(body, 'rate_limit.resets_at'), /:00\.000Z$/)
        assert.match(valueAt(body, 'actor.credential_id'), /^key_/)
        assert.doesNotMatch(JSON.stringify(body), /Mine|dry_run/)
      },
    },
  ),
  {
    send: 'GET /api/v1/tasks?q=secret',
    as: 'member session',
    status: 200,
    check: keepRequest('session'),
  },
  asksWhy(
    'session',
    { route: '/api/v1/tasks', actor: { type: 'user', credential_id: null } },
    { as: 'member' },
  ),
])

scenario('shows a request to its sender, owners and admins, and to nobody else', [
  { send: 'GET /api/v1/me', as: 'member', status: 200, check: keepRequest('request') },
  asksWhy('request', {}, { as: 'member' }),
  asksWhy('request', {}, { as: 'member session' }),
  asksWhy('request', {}, { as: 'owner' }),
  asksWhy('request', {}, { as: 'admin' }),
  { send: 'GET /api/v1/requests/{request}', as: 'guest', status: 404 },
  { send: 'GET /api/v1/requests/{request}', as: 'stranger', status: 404 },
  { send: 'GET /api/v1/requests/{request}', as: 'nobody', status: 401 },
  { send: 'GET /api/v1/requests/req_01k2m3n4p5q6r7s8t9v0w1x2y3', status: 404 },
  { send: 'GET /api/v1/me', as: 'nobody', status: 401, replyHeaders: { link: null } },
  { send: 'GET /internal/boot?x=1', as: 'session', status: 400, replyHeaders: { link: null } },
])

const withKey = (title: string, more: Partial<ScenarioStep>): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title },
  headers: { 'idempotency-key': 'once' },
  status: 201,
  ...more,
})

scenario('tells what an Idempotency-Key did', [
  withKey('Mine', {
    as: ['tags:read'],
    status: 403,
    check: keepRequest('refused'),
  }),
  asksWhy('refused', { idempotency: 'not_reached' }),
  withKey('Mine', {
    events: ['task.created'],
    check: (reply, known) => {
      keepRequest('first')(reply, known)
      known.operation = reply.headers['x-operation-id'] ?? ''
    },
  }),
  asksWhy('first', { idempotency: 'first', operation_id: '{operation}', event_count: 1 }),
  withKey('Mine', { check: keepRequest('replay') }),
  asksWhy('replay', {
    status: 201,
    idempotency: 'replayed',
    checks: endedAt('idempotency', 'replayed'),
    operation_id: '{operation}',
    event_count: 1,
  }),
  withKey('Other', { status: 422, check: keepRequest('reused') }),
  asksWhy('reused', {
    error_code: 'idempotency_key_reused',
    idempotency: 'reused',
    checks: endedAt('idempotency'),
    operation_id: null,
  }),
])

for (const engine of ENGINES) {
  test(`tells that a request was beyond the limit of its key (${engine})`, async () => {
    const { storage, server, team } = await openTestClient(engine)
    const owner = createUserActor(team.people.owner, team.workspace)
    const { api_key: key } = await storage.write({ ...owner, role: 'owner' }, (tx) =>
      createApiKey(tx, {
        user_id: team.people.owner,
        name: 'slow',
        scopes: [...SCOPES],
        expires_at: null,
        rate_limit: 1,
      }),
    )
    const send = (url: string, as: string) =>
      server.inject({ url, headers: { authorization: `Bearer ${as}` } })
    let reply = await send('/api/v1/me', key)
    // A minute may end between the first request and the second.
    while (reply.statusCode === 200) reply = await send('/api/v1/me', key)
    const explained = await send(
      `/api/v1/requests/${reply.headers['x-request-id']}`,
      team.keys.owner,
    )
    const { status, error_code, checks, rate_limit } = explained.json<RequestDetails>()
    assert.deepEqual([status, error_code], [429, 'key_rate_limited'])
    assert.deepEqual(checks, endedAt('rate_limit'))
    assert.deepEqual([rate_limit?.limit, rate_limit?.remaining], [1, 0])
  })
}

test('the log of requests forgets the oldest of each kind beyond its capacity', () => {
  const log = new RequestLog(3)
  const known = (ids: readonly string[]) => ids.map((id) => log.find(id)?.id)
  log.add({ ...ENTRY, id: 'refused', status: 422 })
  for (const id of ['a', 'b', 'c', 'd']) log.add({ ...ENTRY, id })
  for (const id of ['e', 'f']) log.add({ ...ENTRY, id, status: 429 })
  assert.deepEqual(known(['a', 'b', 'c', 'd', 'e', 'f']), [
    undefined,
    undefined,
    undefined,
    'd',
    'e',
    'f',
  ])
  assert.deepEqual(known(['refused']), ['refused'])
  for (const id of ['x', 'y', 'z']) log.add({ ...ENTRY, id, status: 404 })
  assert.deepEqual(known(['refused', 'x', 'z', 'd']), [undefined, 'x', 'z', 'd'])
})

const ENTRY: RequestLogEntry = {
  id: '',
  endedAtMs: 0,
  method: 'GET',
  route: '/api/v1/me',
  status: 200,
  error_code: undefined,
  workspace_id: '',
  user_id: '',
  actor_type: 'api_key',
  credential_id: null,
  role: 'member',
  limit: 1,
  remaining: 0,
  reset: 0,
  hasIdempotencyKey: false,
  isReplayed: false,
  operation_id: null,
}
