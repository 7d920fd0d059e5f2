import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { command, type Scoped } from '#db/core/statement.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'

const AUDIT = 'GET /internal/audit'
const CHECK = 'GET /internal/audit/check'
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
  { send: CHECK, as: 'guest session', ...role },
])

const spoil = command((db, $: Scoped<{ action: string }>) =>
  db
    .updateTable('audit_entries')
    .set({ subject_id: sql<string>`'usr_somebody'` })
    .where('workspace_id', '=', $.workspace_id)
    .where('action', '=', $.action as 'api_key.created'),
)

const drop = command((db, $: Scoped<{ action: string }>) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('action', '=', $.action as 'api_key.created'),
)

const cut = command((db, $: Scoped) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '=', (is) =>
      is.selectFrom('audit_heads').select('sequence').where('workspace_id', '=', $.workspace_id),
    ),
)

scenario('a check finds changed, removed and truncated entries', [
  {
    send: 'POST /internal/api-keys',
    as: 'session',
    body: { name: 'Nightly', preset: 'read_only' },
    status: 201,
    keep: { key: 'id' },
  },
  {
    send: 'DELETE /internal/api-keys/{key}',
    as: 'session',
    status: 204,
  },
  {
    send: CHECK,
    as: 'session',
    status: 200,
    reply: { from: 1, fault: null, has_more: false },
    keep: { end: 'to' },
    check: ({ body }) => assert.ok((body as { to: number }).to > 5),
  },
  {
    prepare: (tx) => tx.run(spoil, { action: 'workspace.created' }),
    send: CHECK,
    as: 'session',
    status: 200,
    reply: { fault: { sequence: 1 } },
  },
  {
    prepare: (tx) => tx.run(cut, {}),
    send: CHECK,
    as: 'session',
    status: 200,
    check: ({ body }, known) =>
      assert.equal(Object(body).fault.message, `Entry ${known.end} is missing.`),
  },
  {
    prepare: (tx) => tx.run(drop, { action: 'member.added' }),
    send: `${CHECK}?to=3`,
    as: 'session',
    status: 200,
    check: ({ body }) => assert.match(Object(body).fault.message, /missing|was changed/),
  },
])
