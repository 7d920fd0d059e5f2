import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import { SCOPES } from '#wire/scopes.ts'

scenario('returns the user, the workspace and the credential', [
  {
    send: 'GET /api/v1/me',
    as: ['tags:read', 'comments:read'],
    status: 200,
    reply: {
      user: { id: '{owner}', role: 'owner', status: 'active', name: 'The owner' },
      workspace: { id: '{workspace}', name: 'Test', plan: 'paid', timezone: 'Europe/Zurich' },
      credential: {
        type: 'api_key',
        name: 'test',
        scopes: ['comments:read', 'tags:read'],
        expires_at: null,
      },
    },
    replyHeaders: { etag: null, 'cache-control': 'no-store' },
    check: ({ body }) => assert.match(JSON.stringify(body), /"id":"key_[0-9a-z]{26}"/),
  },
  {
    send: 'GET /api/v1/me',
    as: 'guest',
    status: 200,
    reply: { user: { id: '{guest}' }, credential: { scopes: SCOPES.toSorted() } },
    check: ({ body }) => assert.match(JSON.stringify(body), /"email":"guest\./),
  },
  { send: 'GET /api/v1/me', as: 'stranger', status: 200, keep: { other: 'workspace.id' } },
  {
    send: 'GET /api/v1/me',
    status: 200,
    check: ({ body }, { other }) => assert.ok(!JSON.stringify(body).includes(String(other))),
  },
  {
    send: 'GET /api/v1/me',
    headers: { 'x-request-id': 'chosen-by-the-client' },
    status: 200,
    replyHeaders: { 'x-request-id': /^req_[0-9a-z]{26}$/ },
  },
  { send: 'GET /api/v1/me', as: 'nobody', status: 401 },
  { send: 'GET /api/v1/me?x=1', status: 400, reply: { error: { code: 'invalid_parameter' } } },
])

scenario(
  'returns the rate limit of the plan from the settings',
  [{ send: 'GET /api/v1/me', status: 200, reply: { workspace: { requests_per_minute: 4321 } } }],
  { DOCKET_LIMIT_PAID: '4321', DOCKET_LIMIT_FREE: '1234' },
)
