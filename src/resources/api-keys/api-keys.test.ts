import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { SCOPE_PRESETS, SCOPES } from '#wire/scopes.ts'

const KEYS = '/internal/api-keys'
const faults = (...details: object[]) => ({ error: { code: 'validation_failed', details } })
const POST = `POST ${KEYS}`
const tags = { name: 'T', scopes: ['tags:read'] }

scenario('every member creates own API keys, which are shown once', [
  {
    send: POST,
    as: 'member session',
    body: { name: ' CI ', scopes: ['tags:write', 'tags:read'], expires_at: '2100-01-01T00:00:00Z' },
    status: 201,
    reply: {
      name: 'CI',
      user_id: '{member}',
      scopes: ['tags:read', 'tags:write'],
      expires_at: '2100-01-01T00:00:00.000Z',
      rate_limit: null,
      last_used_at: null,
    },
    replyHeaders: { location: null, etag: null, 'cache-control': 'no-store' },
    keep: { ci: 'id', key: 'api_key', hint: 'hint' },
    check: (_, { key, hint }) => {
      assert.match(String(key), /^dkt_[0-9A-Za-z]{38}$/)
      assert.equal(hint, String(key).slice(0, 8))
    },
  },
  {
    send: 'GET /api/v1/me',
    as: 'nobody',
    headers: { authorization: 'Bearer {key}' },
    status: 200,
    reply: { user: { id: '{member}' }, credential: { id: '{ci}', name: 'CI' } },
  },
  {
    send: POST,
    as: 'guest session',
    body: { name: 'A', preset: 'full', expires_at: null },
    status: 201,
    reply: { scopes: SCOPES.toSorted(), user_id: '{guest}', expires_at: null },
    keep: { guests: 'id' },
  },
  {
    send: POST,
    as: 'session',
    body: { name: 'A', preset: 'read_only' },
    status: 201,
    reply: { scopes: SCOPE_PRESETS.read_only.toSorted() },
    keep: { owners: 'id' },
  },
  ...[
    [{ name: 'A' }, { field: 'scopes', code: 'required' }],
    [
      { ...tags, preset: 'full' },
      { field: 'preset', code: 'conflicting_fields' },
    ],
    [
      { name: 'A', scopes: [] },
      { field: 'scopes', code: 'too_few' },
    ],
    [
      { name: 'A', scopes: ['all'] },
      { field: 'scopes[0]', code: 'invalid_value' },
    ],
    [
      { name: 'A', scopes: ['tags:read', 'tags:read'] },
      { field: 'scopes[1]', code: 'duplicate' },
    ],
    [
      { name: 'A', preset: null },
      { field: 'preset', code: 'not_nullable' },
    ],
    [
      { ...tags, expires_at: '2020-01-01T00:00:00Z' },
      { field: 'expires_at', code: 'invalid_value' },
    ],
    [
      { ...tags, expires_at: 'soon' },
      { field: 'expires_at', code: 'invalid_format' },
    ],
    [
      { ...tags, user_id: '{owner}' },
      { field: 'user_id', code: 'read_only_field' },
    ],
    [
      { ...tags, api_key: 'dkt_x' },
      { field: 'api_key', code: 'read_only_field' },
    ],
    [{ scopes: ['tags:read'] }, { field: 'name', code: 'required' }],
  ].map(([body, detail]) => ({
    send: POST,
    as: 'session' as const,
    body,
    status: 422,
    reply: faults(detail ?? {}),
  })),
  {
    send: `GET ${KEYS}`,
    as: 'member session',
    status: 200,
    reply: {
      data: [
        { user_id: '{member}', name: 'test' },
        { id: '{ci}', hint: '{hint}' },
      ],
    },
    check: ({ body }, { key }) => {
      assert.equal((body as { data: [] }).data.length, 2)
      assert.ok(!JSON.stringify(body).includes(String(key).slice(9)))
    },
  },
  {
    send: `GET ${KEYS}?limit=3`,
    as: 'admin session',
    status: 200,
    reply: { has_more: true, data: [{}, {}, {}] },
    keep: { cursor: 'next_cursor' },
  },
  {
    send: `GET ${KEYS}?cursor={cursor}`,
    as: 'admin session',
    status: 200,
    reply: {
      data: [{ user_id: '{guest}' }, { id: '{ci}' }, { id: '{guests}' }, { id: '{owners}' }],
    },
  },
  { send: `DELETE ${KEYS}/{owners}`, as: 'member session', status: 404 },
  { send: `DELETE ${KEYS}/{guests}`, as: 'member session', status: 404 },
  { send: `DELETE ${KEYS}/{ci}`, as: 'member session', status: 204 },
  rejectedStep('GET /api/v1/me', 401, 'invalid_token', {
    as: 'nobody',
    headers: { authorization: 'Bearer {key}' },
  }),
  { send: `DELETE ${KEYS}/{ci}`, as: 'member session', status: 404 },
  { send: `DELETE ${KEYS}/{guests}`, as: 'admin session', status: 204 },
  { send: `DELETE ${KEYS}/{owners}`, as: 'admin session', status: 204 },
  { send: `GET ${KEYS}`, as: 'owner', status: 403, reply: { error: { code: 'session_required' } } },
])

const LIMITED = 'GET /api/v1/me'
const withKey = { as: 'nobody' as const, headers: { authorization: 'Bearer {key}' } }
const limitOf = (limit: string | null) => ({ 'x-ratelimit-limit': limit })

scenario('an API key can have a rate limit of its own', [
  {
    send: POST,
    as: 'member session',
    body: { ...tags, rate_limit: 900_000 },
    status: 201,
    reply: { rate_limit: 900_000 },
    keep: { id: 'id', key: 'api_key' },
  },
  { send: LIMITED, ...withKey, status: 200, replyHeaders: limitOf('900000') },
  {
    send: `PATCH ${KEYS}/{id}`,
    as: 'admin session',
    body: { rate_limit: 800_000 },
    status: 200,
    reply: { id: '{id}', user_id: '{member}', rate_limit: 800_000 },
    check: ({ body }) => assert.ok(!('api_key' in (body as object))),
  },
  { send: LIMITED, ...withKey, status: 200, replyHeaders: limitOf('800000') },
  {
    send: `PATCH ${KEYS}/{id}`,
    as: 'member session',
    body: {},
    status: 200,
    reply: { rate_limit: 800_000 },
  },
  ...[
    [0, 'too_small'],
    [1_000_000, 'too_large'],
    [1.5, 'invalid_type'],
    ['9', 'invalid_type'],
  ].flatMap(([rate_limit, code]) =>
    [`PATCH ${KEYS}/{id}`, POST].map((send) => ({
      send,
      as: 'member session' as const,
      body: { ...(send === POST && tags), rate_limit },
      status: 422,
      reply: faults({ field: 'rate_limit', code }),
    })),
  ),
  {
    send: `PATCH ${KEYS}/{id}`,
    as: 'member session',
    body: { name: 'other' },
    status: 422,
    reply: faults({ field: 'name', code: 'read_only_field' }),
  },
  {
    send: `PATCH ${KEYS}/{id}`,
    as: 'guest session',
    body: { rate_limit: 1 },
    status: 404,
  },
  {
    send: `PATCH ${KEYS}/{id}`,
    as: 'member session',
    body: { rate_limit: null },
    status: 200,
    reply: { rate_limit: null },
  },
  { send: LIMITED, ...withKey, status: 200, replyHeaders: limitOf('1000000') },
  {
    send: 'GET /internal/audit?action=api_key.updated',
    as: 'session',
    status: 200,
    reply: {
      data: [
        {
          subject_id: '{id}',
          details: { user_id: '{member}', rate_limit: { from: 800_000, to: null } },
        },
        { details: { rate_limit: { from: 900_000, to: 800_000 } } },
      ],
    },
  },
])

scenario('a user has at most 100 API keys', [
  ...Array.from({ length: 99 }, (_, at) => ({
    send: POST,
    as: 'member session' as const,
    body: { ...tags, name: `Key ${at}` },
    status: 201,
  })),
  rejectedStep(POST, 409, 'limit_reached', { as: 'member session', body: tags }),
  { send: POST, as: 'admin session', body: tags, status: 201 },
])
