import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario.ts'
import { PRESETS, SCOPES } from '#wire/scopes.ts'

const KEYS = '/internal/api-keys'
const faults = (...details: object[]) => ({ error: { code: 'validation_failed', details } })
const POST = `POST ${KEYS}`
const tags = { name: 'T', scopes: ['tags:read'] }

scenario('everybody makes keys for oneself, which are shown once', [
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
    reply: { scopes: PRESETS.read_only.toSorted() },
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
  {
    send: 'GET /api/v1/me',
    as: 'nobody',
    headers: { authorization: 'Bearer {key}' },
    status: 401,
    reply: { error: { code: 'invalid_token' } },
  },
  { send: `DELETE ${KEYS}/{ci}`, as: 'member session', status: 404 },
  { send: `DELETE ${KEYS}/{guests}`, as: 'admin session', status: 204 },
  { send: `DELETE ${KEYS}/{owners}`, as: 'admin session', status: 204 },
  { send: `GET ${KEYS}`, as: 'owner', status: 403, reply: { error: { code: 'session_required' } } },
])

scenario('a person has at most 100 keys', [
  ...Array.from({ length: 99 }, (_, at) => ({
    send: POST,
    as: 'member session' as const,
    body: { ...tags, name: `Key ${at}` },
    status: 201,
  })),
  {
    send: POST,
    as: 'member session',
    body: tags,
    status: 409,
    reply: { error: { code: 'limit_reached' } },
  },
  { send: POST, as: 'admin session', body: tags, status: 201 },
])
