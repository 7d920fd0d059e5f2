import { test } from 'node:test'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import {
  AUDIT_CANARY,
  assertNoUserTextAudited,
  sessionStep,
} from '../support/scenario/expected-audit-entries.ts'
import {
  type ScenarioReply,
  type ScenarioStep,
  scenario,
  valueAt,
} from '../support/scenario/scenario.ts'
import { ORIGIN_HEADERS, setTestPasswords, TEST_PASSWORD } from '../support/world/test-password.ts'

const prepare = setTestPasswords
const FORBIDDEN = { status: 403, audited: [] }

const signIn = (name: string, more: Partial<ScenarioStep>): ScenarioStep => ({
  send: 'POST /internal/session',
  as: 'nobody',
  headers: ORIGIN_HEADERS,
  body: { email: `{${name}_email}`, password: TEST_PASSWORD },
  status: 201,
  ...more,
})

const keepCookie =
  (name: string) =>
  ({ headers }: ScenarioReply, known: Record<string, string>) => {
    known[name] = /docket_session=[\w-]+/.exec(headers['set-cookie'] ?? '')?.[0] ?? ''
  }

const withCookie = (name: string) =>
  ({ as: 'nobody', headers: { ...ORIGIN_HEADERS, cookie: `{${name}}` } }) as const

scenario('the audit log records sign-ins, sign-outs and failed attempts', [
  signIn('member', {
    prepare,
    keep: { session: 'id' },
    audited: [
      {
        action: 'session.created',
        subject_id: '{session}',
        workspace_id: '{workspace}',
        actor_type: 'user',
        actor_id: '{member}',
        credential_id: null,
        details: { user_id: '{member}', by: 'password', factors: 1, address: '{address}' },
      },
    ],
    check: keepCookie('cookie'),
  }),
  signIn('member', {
    headers: { ...ORIGIN_HEADERS, cookie: '{cookie}' },
    keep: { other: 'id' },
    check: keepCookie('cookie'),
    audited: [
      { action: 'session.ended', details: { user_id: '{member}', reason: 'replaced' } },
      { action: 'session.created', subject_id: '{other}' },
    ],
  }),
  {
    send: 'DELETE /internal/session',
    ...withCookie('cookie'),
    status: 204,
    audited: [
      {
        action: 'session.ended',
        subject_id: '{other}',
        credential_id: '{other}',
        actor_id: '{member}',
        details: { user_id: '{member}', reason: 'signed_out' },
      },
    ],
  },
  ...[1, 2, 3].map(() =>
    signIn('admin', {
      body: { email: '{admin_email}', password: 'no such thing' },
      status: 401,
      audited: [
        {
          action: 'session.failed',
          subject_id: '{admin}',
          workspace_id: INSTALLATION_CHAIN,
          actor_type: 'system',
          actor_id: null,
          details: { address: '{address}' },
        },
      ],
    }),
  ),
  signIn('admin', {
    body: { email: '{admin_email}', password: 'nor this one' },
    status: 401,
    audited: [],
  }),
  signIn('admin', {
    body: { email: `${AUDIT_CANARY}@example.com`, password: 'no such person' },
    status: 401,
    audited: [],
  }),
  signIn('owner', {
    keep: { third: 'id' },
    check: keepCookie('cookie'),
    audited: ['session.created'],
  }),
  {
    send: 'DELETE /internal/sessions/{third}',
    as: 'member session',
    status: 404,
    audited: [],
  },
  sessionStep('DELETE /internal/sessions/{third}', undefined, {
    status: 204,
    audited: [
      {
        action: 'session.ended',
        subject_id: '{third}',
        actor_id: '{owner}',
        details: { user_id: '{owner}', reason: 'ended' },
      },
    ],
  }),
])

scenario('the audit log records changes of password and email without their values', [
  signIn('member', { prepare, check: keepCookie('cookie') }),
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: {
      current_password: TEST_PASSWORD,
      name: AUDIT_CANARY,
      email: `${AUDIT_CANARY}.{workspace}@example.com`,
    },
    status: 200,
    events: ['member.updated'],
    audited: [
      {
        action: 'email.changed',
        subject_id: '{member}',
        workspace_id: INSTALLATION_CHAIN,
        actor_id: '{member}',
        details: {},
      },
    ],
  },
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: { current_password: TEST_PASSWORD, password: `${AUDIT_CANARY} at noon` },
    status: 200,
    audited: [
      'session.created',
      { action: 'password.changed', subject_id: '{member}', details: { sessions_ended: 1 } },
    ],
    check: keepCookie('cookie'),
  },
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: { name: `${AUDIT_CANARY} again` },
    status: 200,
    events: ['member.updated'],
    audited: [],
  },
])

scenario('the audit log records changes of API keys, invitations and members', [
  sessionStep(
    'POST /internal/api-keys',
    { name: AUDIT_CANARY, scopes: ['tasks:write', 'tasks:read'] },
    {
      status: 201,
      keep: { key: 'id' },
      audited: [
        {
          action: 'api_key.created',
          subject_id: '{key}',
          actor_type: 'user',
          actor_id: '{owner}',
          workspace_id: '{workspace}',
          details: {
            user_id: '{owner}',
            scopes: ['tasks:read', 'tasks:write'],
            expires_at: null,
            rate_limit: null,
          },
        },
      ],
    },
  ),
  sessionStep(
    'PATCH /internal/api-keys/{key}',
    { rate_limit: 7 },
    {
      audited: [
        {
          action: 'api_key.updated',
          subject_id: '{key}',
          details: { user_id: '{owner}', rate_limit: { from: null, to: 7 } },
        },
      ],
    },
  ),
  sessionStep(
    'POST /internal/api-keys',
    { name: AUDIT_CANARY, scopes: [] },
    { status: 422, audited: [] },
  ),
  sessionStep('DELETE /internal/api-keys/{key}', undefined, {
    status: 204,
    audited: ['api_key.revoked'],
  }),
  sessionStep('DELETE /internal/api-keys/{key}', undefined, { status: 404, audited: [] }),
  sessionStep(
    'POST /internal/invitations',
    { email: `${AUDIT_CANARY}@example.com`, role: 'guest', project_ids: ['{project}'] },
    {
      status: 201,
      keep: { invitation: 'id' },
      audited: [
        {
          action: 'invitation.created',
          subject_id: '{invitation}',
          details: { role: 'guest', project_ids: ['{project}'] },
        },
      ],
    },
  ),
  sessionStep('DELETE /internal/invitations/{invitation}', undefined, {
    status: 204,
    audited: [{ action: 'invitation.deleted', subject_id: '{invitation}' }],
  }),
  sessionStep(
    'POST /internal/invitations',
    { email: `${AUDIT_CANARY}.{workspace}@example.com`, role: 'member' },
    {
      status: 201,
      keep: { invitation: 'id' },
      check: ({ body }, known) => {
        known.token = valueAt(body, 'accept_url').split('/').at(-1) ?? ''
      },
    },
  ),
  {
    send: 'POST /internal/invitations/accept',
    as: 'nobody',
    headers: ORIGIN_HEADERS,
    body: { token: '{token}', name: AUDIT_CANARY, password: TEST_PASSWORD },
    status: 201,
    events: ['member.added'],
    keep: { new: 'user.id' },
    audited: [
      { action: 'invitation.accepted', subject_id: '{invitation}' },
      { action: 'member.added', details: { role: 'member' } },
      'session.created',
    ],
  },
  sessionStep(
    'PATCH /internal/members/{new}',
    { role: 'admin' },
    {
      events: ['member.updated'],
      audited: [
        {
          action: 'member.role_changed',
          subject_id: '{new}',
          actor_id: '{owner}',
          details: { from: 'member', to: 'admin' },
        },
      ],
    },
  ),
  sessionStep('PATCH /internal/members/{new}', { role: 'admin' }, { audited: [] }),
  { send: 'DELETE /internal/members/{new}', as: 'member session', ...FORBIDDEN },
  sessionStep('DELETE /internal/members/{new}', undefined, {
    status: 204,
    events: ['member.removed'],
    audited: [
      {
        action: 'member.removed',
        subject_id: '{new}',
        details: { role: 'admin', keys_ended: 0, grants_ended: 0, sessions_ended: 1 },
      },
    ],
  }),
  sessionStep(
    'PATCH /internal/workspace',
    { name: AUDIT_CANARY, plan: 'free' },
    {
      audited: [
        {
          action: 'workspace.updated',
          subject_id: '{workspace}',
          details: { changed: ['name', 'plan'], plan: { from: 'paid', to: 'free' } },
        },
      ],
    },
  ),
  sessionStep('PATCH /internal/workspace', { name: AUDIT_CANARY }, { audited: [] }),
])

for (const engine of ENGINES) {
  test(`the audit log contains no user text after changes of people (${engine})`, async () => {
    await assertNoUserTextAudited((await openTestDocket(engine)).storage)
  })
}
