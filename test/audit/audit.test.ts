import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import type { AuditLogEntry } from '#db/audit/audit-log.ts'
import { openStore } from '#db/installation/open-store.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { openFreshStore } from '../support/engines/fresh-docket.ts'
import { closeAfterFile } from '../support/engines/test-database.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import {
  AUDIT_CANARY,
  assertNoUserTextAudited,
  readAuditEntriesSince,
  readAuditLog,
  readLastAuditSequences,
  sessionStep,
} from '../support/scenario/expected-audit-entries.ts'
import {
  type ScenarioReply,
  type ScenarioStep,
  scenario,
  valueAt,
} from '../support/scenario/scenario.ts'
import { ORIGIN_HEADERS, setTestPasswords, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const HOOK = '/api/v1/webhooks/{hook}'
const FORBIDDEN = { status: 403, audited: [] }

const target = {
  url: `https://${AUDIT_CANARY}.example.com/${AUDIT_CANARY}`,
  events: ['task.created'],
}

scenario('the audit log records changes of webhooks, for any credential', [
  { send: 'POST /api/v1/webhooks?dry_run=true', body: target, status: 201, audited: [] },
  { send: 'POST /api/v1/webhooks', body: target, as: 'member', ...FORBIDDEN },
  {
    send: 'POST /api/v1/webhooks',
    body: { ...target, description: AUDIT_CANARY, secret: `${AUDIT_CANARY} that is a long secret` },
    status: 201,
    keep: { hook: 'id' },
    audited: [
      {
        action: 'webhook.created',
        subject_id: '{hook}',
        actor_type: 'api_key',
        actor_id: '{owner}',
        details: { events: ['task.created'], project_ids: null },
      },
    ],
  },
  {
    send: `PATCH ${HOOK}`,
    body: { url: `https://other.${AUDIT_CANARY}.example.com`, description: null },
    status: 200,
    audited: [{ action: 'webhook.updated', details: { changed: ['url', 'description'] } }],
  },
  { send: `PATCH ${HOOK}`, body: { description: null }, status: 200, audited: [] },
  {
    send: `PATCH ${HOOK}`,
    body: { secret: `${AUDIT_CANARY} that is another secret` },
    status: 200,
    audited: ['webhook.secret_rotated'],
  },
  {
    send: `POST ${HOOK}/rotate-secret`,
    body: {},
    status: 200,
    audited: [{ action: 'webhook.secret_rotated', details: {} }],
  },
  {
    send: `PATCH ${HOOK}`,
    body: { is_active: false, events: ['*'] },
    status: 200,
    audited: [
      { action: 'webhook.disabled', details: { reason: 'manual' } },
      { action: 'webhook.updated', details: { changed: ['events'] } },
    ],
  },
  { send: `PATCH ${HOOK}`, body: { is_active: false }, status: 200, audited: [] },
  { send: `PATCH ${HOOK}`, body: { is_active: true }, status: 200, audited: ['webhook.enabled'] },
  { send: `DELETE ${HOOK}?dry_run=true`, status: 204, audited: [] },
  { send: `DELETE ${HOOK}`, status: 204, audited: ['webhook.deleted'] },
])

const app = {
  name: AUDIT_CANARY,
  type: 'confidential',
  redirect_uris: [`https://${AUDIT_CANARY}.example/cb`],
}

scenario('the audit log records changes of applications and project access', [
  sessionStep(
    'POST /internal/apps',
    { ...app, scopes: ['tasks:read'] },
    {
      status: 201,
      keep: { app: 'id' },
      audited: [
        {
          action: 'application.created',
          subject_id: '{app}',
          details: { type: 'confidential', distribution: 'private', scopes: ['tasks:read'] },
        },
      ],
    },
  ),
  sessionStep(
    'PATCH /internal/apps/{app}',
    { description: AUDIT_CANARY, scopes: ['tags:read'] },
    {
      audited: [
        {
          action: 'application.updated',
          details: {
            changed: ['description', 'scopes'],
            distribution: 'private',
            scopes: ['tags:read'],
          },
        },
      ],
    },
  ),
  sessionStep('PATCH /internal/apps/{app}', { description: AUDIT_CANARY }, { audited: [] }),
  sessionStep(
    'POST /internal/apps/{app}/rotate-secret',
    {},
    { audited: ['application.secret_rotated'] },
  ),
  { send: 'DELETE /internal/apps/{app}', as: 'member session', ...FORBIDDEN },
  sessionStep('DELETE /internal/apps/{app}', undefined, {
    status: 204,
    audited: ['application.deleted'],
  }),
  sessionStep(
    'PATCH /internal/projects/{project}',
    { visibility: 'private', lead_id: '{member}' },
    {
      events: ['project.updated'],
      audited: [
        {
          action: 'project.visibility_changed',
          subject_id: '{project}',
          details: { from: 'workspace', to: 'private' },
        },
        { action: 'project.lead_changed', details: { from: null, to: '{member}' } },
      ],
    },
  ),
  sessionStep(
    'PATCH /internal/projects/{project}',
    { name: AUDIT_CANARY, description: AUDIT_CANARY },
    {
      events: ['project.updated'],
      audited: [],
    },
  ),
  sessionStep('PUT /internal/projects/{project}/people/{admin}', undefined, {
    status: 204,
    audited: [
      {
        action: 'project.person_added',
        subject_id: '{project}',
        details: { user_id: '{admin}' },
      },
    ],
  }),
  sessionStep('PUT /internal/projects/{project}/people/{admin}', undefined, {
    status: 204,
    audited: [],
  }),
  sessionStep('DELETE /internal/projects/{project}/people/{admin}', undefined, {
    status: 204,
    audited: ['project.person_removed'],
  }),
])

scenario('changes of tasks emit events and are not in the audit log', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: AUDIT_CANARY },
    status: 201,
    events: ['task.created'],
    keep: { task: 'id' },
    audited: [],
  },
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'], audited: [] },
])

const prepare = setTestPasswords
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
          workspace_id: INSTALLATION_AUDIT_LOG,
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
        workspace_id: INSTALLATION_AUDIT_LOG,
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
  test(`the audit log records the start and the end of an OAuth grant (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const made = await createTestApplication(docket, team)
    const { tokensFor, post } = createOAuthClient(docket, team, made)
    const ends = await readLastAuditSequences(storage, team.workspace)
    const { refresh_token } = await tokensFor('member', { scope: 'tasks:read' })
    assert.equal((await post('/oauth/revoke', { token: refresh_token })).status, 200)
    const entries = await readAuditEntriesSince(storage, ends, new Set())
    assert.deepEqual(
      entries.map(({ action, actor_id, details }) => [action, actor_id, JSON.parse(details)]),
      [
        [
          'grant.created',
          team.people.member,
          { user_id: team.people.member, application_id: made.id, scopes: ['tasks:read'] },
        ],
        ['grant.ended', null, {}],
      ],
    )
    assert.equal(entries[0]?.subject_id, entries[1]?.subject_id)
  })

  test(`the audit log has no entries of rolled back writes or dry runs (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace } = await createTestWorkspace(storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    const ends = await readLastAuditSequences(storage, workspace)
    const writeEntry = (subject: string) =>
      storage.write(actor, async (tx) => tx.audit('grant.ended', subject, {}))
    // Concurrently, so that they share a commit from which the failed ones are removed.
    const all = await Promise.allSettled([
      writeEntry('grt_1'),
      storage.write(actor, async (tx) => {
        tx.audit('grant.ended', 'grt_refused', {})
        throw new Error('no')
      }),
      storage.write(actor, async (tx) => {
        tx.audit('grant.ended', 'grt_refused', {})
        throw notFound()
      }),
      storage.dryRun(actor, async (tx) => tx.audit('grant.ended', 'grt_rehearsed', {})),
      storage.write(actor, async (tx) => {
        const inner = tx.runOperation(async () => {
          tx.audit('grant.ended', 'grt_inner', {})
          throw new Error('no')
        })
        await inner.catch(() => {})
        tx.audit('grant.ended', 'grt_2', {})
      }),
      writeEntry('grt_3'),
    ])
    assert.deepEqual(
      all.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    const entries = await readAuditEntriesSince(storage, ends, new Set())
    assert.deepEqual(
      entries.map(({ subject_id }) => subject_id),
      ['grt_1', 'grt_2', 'grt_3'],
    )
    await readAuditLog(storage, workspace)
  })

  test(`the audit log contains no user text, and its sequence has no gap (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace } = await createTestWorkspace(storage)
    await assertNoUserTextAudited(storage)
    for (const log of [INSTALLATION_AUDIT_LOG, workspace])
      assert.equal((await readAuditLog(storage, log))[0]?.sequence, 1, log)
  })
}

for (const engine of ENGINES) {
  test(`hands on each audit entry once it is committed, and none that was rolled back (${engine})`, async () => {
    const { config } = await openFreshStore(engine)
    const announced: AuditLogEntry[] = []
    const { storage } = await openStore({ ...config, onAuditEntry: (one) => announced.push(one) })
    closeAfterFile(storage)
    const { workspace } = await createTestWorkspace(storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    await Promise.allSettled([
      storage.write(actor, async (tx) => tx.audit('grant.ended', 'grt_1', {})),
      storage.write(actor, async (tx) => {
        tx.audit('grant.ended', 'grt_refused', {})
        throw notFound()
      }),
      storage.dryRun(actor, async (tx) => tx.audit('grant.ended', 'grt_rehearsed', {})),
    ])
    const committed = await readAuditLog(storage, workspace)
    assert.equal(committed.at(-1)?.subject_id, 'grt_1')
    const ofWorkspace = announced.filter(({ workspace_id }) => workspace_id === workspace)
    assert.deepEqual(ofWorkspace, committed)
  })
}
