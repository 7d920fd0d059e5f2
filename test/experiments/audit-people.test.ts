import { test } from 'node:test'
import { INSTALLATION } from '#wire/audit.ts'
import { ORIGIN, PASSWORD, passwords } from '../support/account.ts'
import { assertNothingWritten, by, CANARY } from '../support/audited.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { at, type Reply, type Step, scenario } from '../support/scenario.ts'

const prepare = passwords
const NO = { status: 403, audited: [] }

const signIn = (name: string, more: Partial<Step>): Step => ({
  send: 'POST /internal/session',
  as: 'nobody',
  headers: ORIGIN,
  body: { email: `{${name}_email}`, password: PASSWORD },
  status: 201,
  ...more,
})

const cookieAs =
  (name: string) =>
  ({ headers }: Reply, known: Record<string, string>) => {
    known[name] = /docket_session=[\w-]+/.exec(headers['set-cookie'] ?? '')?.[0] ?? ''
  }

const withCookie = (name: string) =>
  ({ as: 'nobody', headers: { ...ORIGIN, cookie: `{${name}}` } }) as const

scenario('who signs in, moves, signs out or fails is in the audit log', [
  signIn('member', {
    prepare,
    keep: { session: 'id' },
    audited: [
      {
        ...{ action: 'session.created', subject_id: '{session}', workspace_id: '{workspace}' },
        ...{ actor_type: 'user', actor_id: '{member}', credential_id: null },
        details: { user_id: '{member}', by: 'password', factors: 1 },
      },
    ],
    check: cookieAs('cookie'),
  }),
  signIn('member', {
    headers: { ...ORIGIN, cookie: '{cookie}' },
    keep: { other: 'id' },
    check: cookieAs('cookie'),
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
        ...{ action: 'session.ended', subject_id: '{other}', credential_id: '{other}' },
        ...{ actor_id: '{member}', details: { user_id: '{member}', reason: 'signed_out' } },
      },
    ],
  },
  ...[1, 2, 3].map(() =>
    signIn('admin', {
      body: { email: '{admin_email}', password: 'no such thing' },
      status: 401,
      audited: [
        {
          ...{ action: 'session.failed', subject_id: '{admin}', workspace_id: INSTALLATION },
          ...{ actor_type: 'system', actor_id: null, details: {} },
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
    body: { email: `${CANARY}@example.com`, password: 'no such person' },
    status: 401,
    audited: [],
  }),
  signIn('owner', {
    keep: { third: 'id' },
    check: cookieAs('cookie'),
    audited: ['session.created'],
  }),
  {
    send: 'DELETE /internal/sessions/{third}',
    as: 'member session',
    status: 404,
    audited: [],
  },
  by('DELETE /internal/sessions/{third}', undefined, {
    status: 204,
    audited: [
      {
        ...{ action: 'session.ended', subject_id: '{third}', actor_id: '{owner}' },
        details: { user_id: '{owner}', reason: 'ended' },
      },
    ],
  }),
])

scenario('another password or address is in the audit log, and what it was is not', [
  signIn('member', { prepare, check: cookieAs('cookie') }),
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: { current_password: PASSWORD, name: CANARY, email: `${CANARY}.{workspace}@example.com` },
    status: 200,
    audited: [
      {
        ...{ action: 'email.changed', subject_id: '{member}', workspace_id: INSTALLATION },
        ...{ actor_id: '{member}', details: {} },
      },
    ],
  },
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: { current_password: PASSWORD, password: `${CANARY} at noon` },
    status: 200,
    audited: [
      'session.created',
      { action: 'password.changed', subject_id: '{member}', details: { sessions_ended: 1 } },
    ],
    check: cookieAs('cookie'),
  },
  {
    send: 'PATCH /internal/account',
    ...withCookie('cookie'),
    body: { name: `${CANARY} again` },
    status: 200,
    audited: [],
  },
])

scenario('keys, invitations and members are in the audit log', [
  by(
    'POST /internal/api-keys',
    { name: CANARY, scopes: ['tasks:write', 'tasks:read'] },
    {
      status: 201,
      keep: { key: 'id' },
      audited: [
        {
          ...{ action: 'api_key.created', subject_id: '{key}', actor_type: 'user' },
          ...{ actor_id: '{owner}', workspace_id: '{workspace}' },
          details: { user_id: '{owner}', scopes: ['tasks:read', 'tasks:write'], expires_at: null },
        },
      ],
    },
  ),
  by('POST /internal/api-keys', { name: CANARY, scopes: [] }, { status: 422, audited: [] }),
  by('DELETE /internal/api-keys/{key}', undefined, { status: 204, audited: ['api_key.revoked'] }),
  by('DELETE /internal/api-keys/{key}', undefined, { status: 404, audited: [] }),
  by(
    'POST /internal/invitations',
    { email: `${CANARY}@example.com`, role: 'guest', project_ids: ['{project}'] },
    {
      status: 201,
      keep: { invitation: 'id' },
      audited: [
        {
          ...{ action: 'invitation.created', subject_id: '{invitation}' },
          details: { role: 'guest', project_ids: ['{project}'] },
        },
      ],
    },
  ),
  by('DELETE /internal/invitations/{invitation}', undefined, {
    status: 204,
    audited: [{ action: 'invitation.deleted', subject_id: '{invitation}' }],
  }),
  by(
    'POST /internal/invitations',
    { email: `${CANARY}.{workspace}@example.com`, role: 'member' },
    {
      status: 201,
      keep: { invitation: 'id' },
      check: ({ body }, known) => {
        known.token = at(body, 'accept_url').split('/').at(-1) ?? ''
      },
    },
  ),
  {
    send: 'POST /internal/invitations/accept',
    as: 'nobody',
    headers: ORIGIN,
    body: { token: '{token}', name: CANARY, password: PASSWORD },
    status: 201,
    events: ['member.added'],
    keep: { new: 'user.id' },
    audited: [
      { action: 'invitation.accepted', subject_id: '{invitation}' },
      { action: 'member.added', details: { role: 'member' } },
      'session.created',
    ],
  },
  by(
    'PATCH /internal/members/{new}',
    { role: 'admin' },
    {
      audited: [
        {
          ...{ action: 'member.role_changed', subject_id: '{new}', actor_id: '{owner}' },
          details: { from: 'member', to: 'admin' },
        },
      ],
    },
  ),
  by('PATCH /internal/members/{new}', { role: 'admin' }, { audited: [] }),
  { send: 'DELETE /internal/members/{new}', as: 'member session', ...NO },
  by('DELETE /internal/members/{new}', undefined, {
    status: 204,
    events: ['member.removed'],
    audited: [
      {
        ...{ action: 'member.removed', subject_id: '{new}' },
        details: { role: 'admin', keys_ended: 0, grants_ended: 0, sessions_ended: 1 },
      },
    ],
  }),
  by(
    'PATCH /internal/workspace',
    { name: CANARY, plan: 'free' },
    {
      audited: [
        {
          ...{ action: 'workspace.updated', subject_id: '{workspace}' },
          details: { changed: ['name', 'plan'], plan: { from: 'paid', to: 'free' } },
        },
      ],
    },
  ),
  by('PATCH /internal/workspace', { name: CANARY }, { audited: [] }),
])

for (const engine of ENGINES) {
  test(`nothing that people have written is in the audit log (${engine})`, async () => {
    await assertNothingWritten((await docketOn(engine)).storage)
  })
}
