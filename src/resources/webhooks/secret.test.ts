import assert from 'node:assert/strict'
import { scenario, valueAt } from '#test/support/scenario/scenario.ts'

const HOOKS = '/api/v1/webhooks'
const HOOK = `${HOOKS}/{hook}`
const simple = { url: 'https://example.com/hook', events: ['task.created'] }
const made = { send: `POST ${HOOKS}`, body: simple, status: 201, keep: { hook: 'id' } }
const without = (name: string) => (reply: { body: unknown }) =>
  assert.ok(!Object.hasOwn(Object(reply.body), name), `${name} is shown`)

scenario('rotates a secret with and without overlap', [
  made,
  {
    send: `POST ${HOOK}/rotate-secret`,
    status: 200,
    keep: { secret: 'secret', until: 'previous_secret_expires_at' },
    replyHeaders: { etag: /^"/, location: null },
    check: (_, { secret, until = '' }) => {
      assert.match(String(secret), /^whsec_/)
      const left = Date.parse(until) - Date.now()
      assert.ok(left > 86_300_000 && left <= 86_400_000, until)
    },
  },
  { send: `GET ${HOOK}`, status: 200, reply: { previous_secret_expires_at: '{until}' } },
  {
    send: `PATCH ${HOOK}`,
    body: { secret: '{secret}' },
    status: 200,
    reply: { previous_secret_expires_at: '{until}' },
  },
  {
    send: `POST ${HOOK}/rotate-secret`,
    body: { secret: 'chosen by us', overlap_seconds: 60 },
    status: 200,
    reply: { secret: 'chosen by us', secret_hint: 'y us' },
    check: ({ body }, { until = '' }) =>
      assert.ok(valueAt(body, 'previous_secret_expires_at') < until),
  },
  {
    send: `POST ${HOOK}/rotate-secret`,
    body: { overlap_seconds: 0 },
    status: 200,
    reply: { previous_secret_expires_at: null },
  },
  { send: `POST ${HOOK}/rotate-secret`, body: {}, status: 200 },
  {
    send: `PATCH ${HOOK}`,
    body: { secret: 'replaced at once' },
    status: 200,
    reply: { previous_secret_expires_at: null },
  },
  {
    send: `POST ${HOOK}/rotate-secret`,
    body: { overlap_seconds: 86_401, secret: 'short', url: 'https://example.com', x: 1 },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'overlap_seconds', code: 'too_large' },
          { field: 'secret', code: 'too_short' },
          { field: 'url', code: 'read_only_field' },
          { field: 'x', code: 'unknown_field' },
        ],
      },
    },
  },
  { send: `POST ${HOOK}/rotate-secret?dry_run=true`, status: 400 },
])

scenario('a dry run returns no secret and changes nothing', [
  {
    send: `POST ${HOOKS}?dry_run=true`,
    body: { ...simple, secret: 'a secret of mine' },
    status: 201,
    reply: { secret: 'whsec_dry_run', url: simple.url },
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  { send: `GET ${HOOKS}`, status: 200, reply: { data: [] } },
  made,
  {
    send: `PATCH ${HOOK}?dry_run=true`,
    body: { is_active: false },
    status: 200,
    reply: { status: 'disabled' },
    check: without('secret'),
  },
  { send: `DELETE ${HOOK}?dry_run=true`, status: 204 },
  { send: `GET ${HOOK}`, status: 200, reply: { status: 'active' } },
])

scenario('an idempotent replay of create returns the same secret', [
  {
    send: `POST ${HOOKS}`,
    headers: { 'idempotency-key': 'k' },
    body: simple,
    status: 201,
    keep: { hook: 'id', secret: 'secret' },
  },
  {
    send: `POST ${HOOKS}`,
    headers: { 'idempotency-key': 'k' },
    body: simple,
    status: 201,
    reply: { id: '{hook}', secret: '{secret}' },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
])
