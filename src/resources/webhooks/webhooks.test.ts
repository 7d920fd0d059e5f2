import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { scenario, valueAt } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const HOOKS = '/api/v1/webhooks'
const HOOK = `${HOOKS}/{hook}`
const simple = { url: 'https://example.com/hook', events: ['task.created'] }
const made = { send: `POST ${HOOKS}`, body: simple, status: 201, keep: { hook: 'id' } }
const without = (name: string) => (reply: { body: unknown }) =>
  assert.ok(!Object.hasOwn(Object(reply.body), name), `${name} is shown`)

scenario('creates, reads, updates, lists and deletes a webhook', [
  {
    send: `POST ${HOOKS}`,
    body: { url: 'https://example.com:8443/a?b=c', events: ['task.deleted', 'task.created'] },
    status: 201,
    reply: {
      url: 'https://example.com:8443/a?b=c',
      description: null,
      events: ['task.deleted', 'task.created'],
      project_ids: null,
      is_active: true,
      status: 'active',
      disabled_reason: null,
      failure_count: 0,
      last_delivery_at: null,
      last_success_at: null,
      last_failure_at: null,
      previous_secret_expires_at: null,
      created_by_id: '{owner}',
    },
    replyHeaders: { location: /\/api\/v1\/webhooks\/whk_/, etag: /^"/, 'x-operation-id': /^opr_/ },
    keep: { hook: 'id', secret: 'secret', hint: 'secret_hint' },
    check: (_, { secret, hint }) => {
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{32}$/)
      assert.equal(hint, secret?.slice(-4))
    },
  },
  {
    send: `GET ${HOOK}`,
    status: 200,
    reply: { id: '{hook}', secret_hint: '{hint}' },
    check: without('secret'),
  },
  {
    send: `PATCH ${HOOK}`,
    body: { description: ' Ours ', events: ['*'], project_ids: ['{project}', '{hidden}'] },
    status: 200,
    reply: { description: 'Ours', events: ['*'], project_ids: ['{project}', '{hidden}'] },
    check: without('secret'),
  },
  {
    send: `PATCH ${HOOK}`,
    body: { description: null, project_ids: null },
    status: 200,
    reply: { description: null, project_ids: null, url: 'https://example.com:8443/a?b=c' },
  },
  {
    send: `GET ${HOOKS}`,
    status: 200,
    reply: { data: [{ id: '{hook}' }], has_more: false },
    check: ({ body }) => assert.ok(!JSON.stringify(body).includes('"secret"')),
  },
  { send: `DELETE ${HOOK}`, status: 204 },
  { send: `GET ${HOOK}`, status: 404, reply: { error: { code: 'not_found' } } },
  { send: `DELETE ${HOOK}`, status: 404 },
  { send: `GET ${HOOKS}`, status: 200, reply: { data: [] } },
])

scenario('lists webhooks by creation, filtered by is_active', [
  made,
  {
    send: `POST ${HOOKS}`,
    body: { ...simple, is_active: false },
    status: 201,
    keep: { off: 'id' },
  },
  {
    send: `GET ${HOOKS}?limit=1`,
    status: 200,
    reply: { data: [{ id: '{hook}' }] },
    keep: { next: 'next_cursor' },
  },
  { send: `GET ${HOOKS}?limit=1&cursor={next}`, status: 200, reply: { data: [{ id: '{off}' }] } },
  { send: `GET ${HOOKS}?limit=1&is_active=true&cursor={next}`, status: 400 },
  { send: `GET ${HOOKS}?sort=-created_at`, status: 200, reply: { data: [{ id: '{off}' }, {}] } },
  {
    send: `GET ${HOOKS}?is_active=true`,
    status: 200,
    reply: { data: [{ id: '{hook}' }], has_more: false },
  },
  { send: `GET ${HOOKS}?is_active=false`, status: 200, reply: { data: [{ id: '{off}' }] } },
  { send: `GET ${HOOKS}?is_active=1`, status: 400 },
  { send: `GET ${HOOKS}?sort=url`, status: 400 },
])

scenario('a change without differences writes nothing', [
  {
    send: `POST ${HOOKS}`,
    body: { ...simple, project_ids: ['{project}'], description: 'x', secret: 'a secret of mine' },
    status: 201,
    reply: { secret: 'a secret of mine', secret_hint: 'mine' },
    keep: { hook: 'id', updated: 'updated_at' },
  },
  { send: `PATCH ${HOOK}`, body: {}, status: 200, replyHeaders: { 'x-operation-id': null } },
  {
    send: `PATCH ${HOOK}`,
    body: {
      ...simple,
      project_ids: ['{project}'],
      description: 'x',
      secret: 'a secret of mine',
      is_active: true,
    },
    status: 200,
    reply: { updated_at: '{updated}' },
    replyHeaders: { 'x-operation-id': null },
  },
  {
    send: `PATCH ${HOOK}`,
    body: { secret: 'another secret, of us' },
    status: 200,
    reply: { secret_hint: 'f us' },
    replyHeaders: { 'x-operation-id': /^opr_/ },
    check: ({ body }, { updated = '' }) => assert.ok(valueAt(body, 'updated_at') > updated),
  },
])

scenario('disables and enables a webhook', [
  made,
  {
    send: `PATCH ${HOOK}`,
    body: { is_active: false },
    status: 200,
    reply: { is_active: false, status: 'disabled', disabled_reason: 'manual' },
  },
  {
    send: `PATCH ${HOOK}`,
    body: { is_active: false, url: simple.url },
    status: 200,
    replyHeaders: { 'x-operation-id': null },
  },
  {
    send: `PATCH ${HOOK}`,
    body: { is_active: true },
    status: 200,
    reply: { is_active: true, status: 'active', disabled_reason: null, failure_count: 0 },
  },
  {
    send: `POST ${HOOKS}`,
    body: { ...simple, is_active: false },
    status: 201,
    reply: { status: 'disabled', disabled_reason: 'manual' },
  },
])

scenario('If-Match guards changes of a webhook', [
  made,
  { send: `PATCH ${HOOK}`, headers: { 'if-match': '"0"' }, body: { x: 1 }, status: 412 },
  { send: `DELETE ${HOOK}`, headers: { 'if-match': '"0"' }, status: 412 },
  { send: `POST ${HOOK}/rotate-secret`, headers: { 'if-match': '"0"' }, status: 200 },
  { send: `DELETE ${HOOK}`, headers: { 'if-match': '*' }, status: 204 },
])

scenario('only owners and admins see webhooks; for others existence is hidden', [
  made,
  { send: `GET ${HOOK}`, as: 'admin', status: 200 },
  ...(['member', 'guest'] as const).flatMap((as) => [
    ...['{hook}', 'whk_01k2m3n4p5q6r7s8t9v0w1x2y3', 'nothing', 'a.b'].flatMap((id) => [
      rejectedStep(`GET ${HOOKS}/${id}`, 403, 'insufficient_role', { as }),
      { send: `PATCH ${HOOKS}/${id}`, as, body: { x: 1 }, status: 403 },
      { send: `DELETE ${HOOKS}/${id}`, as, status: 403 },
      { send: `POST ${HOOKS}/${id}/rotate-secret`, as, status: 403 },
    ]),
    { send: `GET ${HOOKS}`, as, status: 403 },
    { send: `POST ${HOOKS}`, as, body: { x: 1 }, status: 403 },
  ]),
  { send: `GET ${HOOK}`, as: 'stranger', status: 404, reply: { error: { code: 'not_found' } } },
  { send: `PATCH ${HOOK}`, as: 'stranger', body: { x: 1 }, status: 404 },
  { send: `DELETE ${HOOK}`, as: 'stranger', status: 404 },
  { send: `POST ${HOOK}/rotate-secret`, as: 'stranger', status: 404 },
  { send: `GET ${HOOKS}`, as: 'stranger', status: 200, reply: { data: [] } },
  { send: `GET ${HOOKS}/nothing`, status: 404 },
  { send: `POST ${HOOKS}`, as: ['webhooks:read'], body: simple, status: 403 },
  { send: `DELETE ${HOOK}`, as: ['webhooks:write'], status: 403 },
  { send: `POST ${HOOK}/rotate-secret`, as: ['webhooks:read'], status: 403 },
  { send: `GET ${HOOK}`, as: 'nobody', status: 401 },
])

for (const engine of ENGINES) {
  test(`a workspace has at most 50 webhooks (${engine})`, async () => {
    const { request, send } = await openTestClient(engine)
    for (let count = 0; count < 50; count++) await send(`POST ${HOOKS}`, simple)
    const refused = await request(`POST ${HOOKS}`, simple)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'limit_reached'])
    assert.equal((await request(`POST ${HOOKS}?dry_run=true`, simple)).status, 409)
  })
}
