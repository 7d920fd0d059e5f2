import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { verifyAuditChain } from '#db/audit/verify-chain.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import {
  AUDIT_CANARY,
  assertNoUserTextAudited,
  readAuditEntriesSince,
  readChainHeads,
  sessionStep,
} from '../support/scenario/expected-audit-entries.ts'
import { scenario } from '../support/scenario/scenario.ts'
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

for (const engine of ENGINES) {
  test(`the audit log records the start and the end of an OAuth grant (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const made = await createTestApplication(docket, team)
    const { tokensFor, post } = createOAuthClient(docket, team, made)
    const ends = await readChainHeads(storage, team.workspace)
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
    const ends = await readChainHeads(storage, workspace)
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
    assert.equal((await verifyAuditChain(storage, workspace)).fault, null)
  })

  test(`the audit log contains no user text, and its chain is intact (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace } = await createTestWorkspace(storage)
    await assertNoUserTextAudited(storage)
    for (const chain of [INSTALLATION_CHAIN, workspace]) {
      assert.equal((await verifyAuditChain(storage, chain)).fault, null, chain)
    }
  })
}
