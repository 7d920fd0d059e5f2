import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'

const AUDIT = 'GET /internal/audit'
const role = { status: 403, reply: { error: { code: 'insufficient_role' } } }

scenario('owners and admins read the audit log, newest first', [
  {
    send: 'POST /internal/api-keys',
    as: 'session',
    body: { name: 'Nightly', preset: 'read_only' },
    status: 201,
    keep: { key: 'id' },
  },
  {
    send: 'PATCH /internal/members/{member}',
    as: 'admin session',
    body: { role: 'guest' },
    status: 200,
    events: ['member.updated'],
  },
  {
    send: `${AUDIT}?limit=2`,
    as: 'admin session',
    status: 200,
    keep: { next: 'next_cursor' },
    reply: {
      has_more: true,
      data: [
        {
          action: 'member.role_changed',
          actor_type: 'user',
          actor_id: '{admin}',
          subject_id: '{member}',
          subject_name: 'The member',
          details: { from: 'member', to: 'guest' },
        },
        { action: 'api_key.created', subject_id: '{key}', subject_name: 'Nightly' },
      ],
    },
  },
  rejectedStep(`${AUDIT}?action=api_key.created&cursor={next}`, 400, 'invalid_cursor', {
    as: 'session',
  }),
  {
    send: `${AUDIT}?limit=2&cursor={next}`,
    as: 'admin session',
    status: 200,
    check: ({ body }) =>
      assert.deepEqual(
        Object(body).data.map(({ sequence }: { sequence: number }) => sequence),
        [9, 8],
      ),
  },
  {
    send: `${AUDIT}?action=api_key.created&limit=1`,
    as: 'session',
    status: 200,
    reply: { data: [{ subject_id: '{key}', actor_id: '{owner}' }] },
  },
  {
    send: `${AUDIT}?user_id={admin}&action=member.role_changed`,
    as: 'session',
    status: 200,
    reply: { data: [{ action: 'member.role_changed' }], has_more: false },
  },
  {
    send: 'POST /internal/invitations',
    as: 'session',
    body: { email: 'new@example.com', role: 'member' },
    status: 201,
  },
  {
    send: `${AUDIT}?action=invitation.created&limit=1`,
    as: 'session',
    status: 200,
    reply: { data: [{ subject_name: 'new@example.com' }] },
  },
  {
    send: `${AUDIT}?action=workspace.created&limit=1`,
    as: 'session',
    status: 200,
    reply: { data: [{ subject_name: 'Test' }] },
  },
  {
    send: `${AUDIT}?user_id={guest}`,
    as: 'session',
    status: 200,
    reply: { data: [], next_cursor: null },
  },
  {
    send: `${AUDIT}?before=2020-01-01T00:00:00Z`,
    as: 'session',
    status: 200,
    reply: { data: [] },
  },
  { send: `${AUDIT}?action=tea.made`, as: 'session', status: 400 },
  { send: AUDIT, as: 'member session', ...role },
  { send: AUDIT, as: 'guest session', ...role },
  { send: AUDIT, as: 'owner', status: 403 },
])
