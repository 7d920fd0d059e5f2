import assert from 'node:assert/strict'
import { OTHER_SESSIONS } from '#core/merged-credentials.ts'
import { addRequestCounts } from '#db/workspaces/request-counts.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import type { WorkspaceUsage } from './internal.ts'

const role = { error: { code: 'insufficient_role' } }
const locked = { error: { type: 'forbidden', code: 'plan_locked' } }
const PATCH = 'PATCH /internal/workspace'

scenario('all members read the workspace; owners and admins change it', [
  {
    send: 'GET /internal/workspace',
    as: 'guest session',
    status: 200,
    reply: { id: '{workspace}', name: 'Test', plan: 'paid', timezone: 'Europe/Zurich' },
    replyHeaders: { etag: null, 'x-ratelimit-limit': null },
  },
  { send: 'GET /internal/workspace', as: 'owner', status: 403 },
  { send: PATCH, as: 'member session', body: { name: 1 }, status: 403, reply: role },
  { send: PATCH, as: 'guest session', body: {}, status: 403, reply: role },
  {
    send: PATCH,
    as: 'admin session',
    body: { name: ' Acme ', timezone: 'Asia/Tokyo' },
    status: 200,
    reply: { name: 'Acme', timezone: 'Asia/Tokyo', plan: 'paid' },
    replyHeaders: { 'x-operation-id': /^opr_/ },
    keep: { at: 'updated_at' },
  },
  {
    send: PATCH,
    as: 'admin session',
    body: { name: 'Acme', timezone: 'Asia/Tokyo' },
    status: 200,
    reply: { updated_at: '{at}' },
    replyHeaders: { 'x-operation-id': null },
  },
  // The new time zone applies from the next request on.
  createTaskStep('A', { due_at: '2026-03-01T20:00:00Z' }, { reply: { due_date: '2026-03-02' } }),
  { send: PATCH, as: 'admin session', body: { plan: 'paid' }, status: 403, reply: role },
  {
    send: PATCH,
    as: 'session',
    body: { name: '', timezone: 'Mars/North', plan: 'gold', id: 'x', limit: 1 },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'name', code: 'too_short' },
          { field: 'timezone', code: 'invalid_value' },
          { field: 'plan', code: 'invalid_value' },
          { field: 'id', code: 'read_only_field' },
          { field: 'limit', code: 'unknown_field' },
        ],
      },
    },
  },
  {
    send: PATCH,
    as: 'session',
    body: { plan: 'free' },
    status: 200,
    reply: { plan: 'free', requests_per_minute: 1_000_000 },
  },
  { send: 'GET /api/v1/me', status: 200, reply: { workspace: { plan: 'free' } } },
])

scenario(
  'nobody changes a plan where anybody may sign up',
  [
    { send: PATCH, as: 'session', body: { plan: 'free' }, status: 403, reply: locked },
    { send: PATCH, as: 'session', body: { plan: 'paid' }, status: 403, reply: locked },
    { send: PATCH, as: 'admin session', body: { plan: 'free' }, status: 403, reply: role },
    { send: PATCH, as: 'session', body: { name: 'B' }, status: 200, reply: { plan: 'paid' } },
  ],
  { DOCKET_SIGNUP: 'open' },
)

const USAGE = 'GET /internal/workspace/usage'
const MINUTE = 60_000
const minute = (ago: number) => {
  const at = Math.floor(Date.now() / MINUTE) * MINUTE - ago * MINUTE
  return new Date(at).toISOString()
}
const EARLIER = minute(2)
const LATER = minute(1)
const key = { credential_type: 'api_key', name: 'importer', refused: 0 }
const sessions = { credential_id: OTHER_SESSIONS, credential_type: 'user', name: '' }

scenario('owners and admins see the rate limit usage', [
  { send: USAGE, as: 'session', status: 200, reply: { minutes: [], credentials: [] } },
  {
    prepare: async (tx) => {
      const counts = [
        { ...key, at: EARLIER, credential_id: 'key_b', used: 7, refused: 2 },
        { ...key, at: LATER, credential_id: 'key_b', used: 5 },
        { ...key, at: LATER, credential_id: 'ses_a', credential_type: 'user', name: 'A', used: 40 },
        { ...key, at: LATER, credential_id: '', credential_type: 'others', name: '', used: 1 },
        { ...sessions, at: LATER, used: 3, refused: 1 },
        { ...key, at: minute(24 * 60 + 1), credential_id: 'key_b', used: 100 },
      ]
      await tx.run(addRequestCounts, { counts })
      // Counts of another process.
      await tx.run(addRequestCounts, { counts: counts.slice(1, 2) })
      await tx.run(addRequestCounts, { counts: [] })
    },
    send: USAGE,
    as: 'admin session',
    status: 200,
    check: ({ body }) => {
      const { storage, ...rest } = body as WorkspaceUsage
      assert.ok(storage.history <= storage.used && storage.used < storage.limit)
      assert.deepEqual(rest, {
        limit: 1_000_000,
        minutes: [
          { at: EARLIER, used: 7, refused: 2, session_used: 0, session_refused: 0 },
          { at: LATER, used: 11, refused: 0, session_used: 43, session_refused: 1 },
        ],
        credentials: [
          { type: 'session', id: 'ses_a', name: 'A', used: 40, refused: 0 },
          { type: 'api_key', id: 'key_b', name: 'importer', used: 17, refused: 2 },
          { type: 'session', id: null, name: null, used: 3, refused: 1 },
          { type: 'others', id: null, name: null, used: 1, refused: 0 },
        ],
      })
    },
  },
  { send: USAGE, as: 'member session', status: 403, reply: role },
  { send: USAGE, as: 'guest session', status: 403, reply: role },
])
