import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { notFound } from '#core/refusal.ts'
import { verifyChain } from '#storage/audit-verify.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { assertNothingWritten, auditedSince, by, CANARY, endsOf } from '../support/audited.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { scenario } from '../support/scenario.ts'

const HOOK = '/api/v1/webhooks/{hook}'
const NO = { status: 403, audited: [] }

const target = { url: `https://${CANARY}.example.com/${CANARY}`, events: ['task.created'] }

scenario('webhooks are in the audit log, by whichever credential', [
  { send: 'POST /api/v1/webhooks?dry_run=true', body: target, status: 201, audited: [] },
  { send: 'POST /api/v1/webhooks', body: target, as: 'member', ...NO },
  {
    send: 'POST /api/v1/webhooks',
    body: { ...target, description: CANARY, secret: `${CANARY} that is a long secret` },
    status: 201,
    keep: { hook: 'id' },
    audited: [
      {
        ...{ action: 'webhook.created', subject_id: '{hook}', actor_type: 'api_key' },
        ...{ actor_id: '{owner}', details: { events: ['task.created'], project_ids: null } },
      },
    ],
  },
  {
    send: `PATCH ${HOOK}`,
    body: { url: `https://other.${CANARY}.example.com`, description: null },
    status: 200,
    audited: [{ action: 'webhook.updated', details: { changed: ['url', 'description'] } }],
  },
  { send: `PATCH ${HOOK}`, body: { description: null }, status: 200, audited: [] },
  {
    send: `PATCH ${HOOK}`,
    body: { secret: `${CANARY} that is another secret` },
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

const app = { name: CANARY, type: 'confidential', redirect_uris: [`https://${CANARY}.example/cb`] }

scenario('applications and who sees a project are in the audit log', [
  by(
    'POST /internal/apps',
    { ...app, scopes: ['tasks:read'] },
    {
      status: 201,
      keep: { app: 'id' },
      audited: [
        {
          ...{ action: 'application.created', subject_id: '{app}' },
          details: { type: 'confidential', distribution: 'private', scopes: ['tasks:read'] },
        },
      ],
    },
  ),
  by(
    'PATCH /internal/apps/{app}',
    { description: CANARY, scopes: ['tags:read'] },
    {
      audited: [
        {
          action: 'application.updated',
          details: {
            ...{ changed: ['description', 'scopes'], distribution: 'private' },
            scopes: ['tags:read'],
          },
        },
      ],
    },
  ),
  by('PATCH /internal/apps/{app}', { description: CANARY }, { audited: [] }),
  by('POST /internal/apps/{app}/rotate-secret', {}, { audited: ['application.secret_rotated'] }),
  { send: 'DELETE /internal/apps/{app}', as: 'member session', ...NO },
  by('DELETE /internal/apps/{app}', undefined, { status: 204, audited: ['application.deleted'] }),
  by(
    'PATCH /internal/projects/{project}',
    { visibility: 'private', lead_id: '{member}' },
    {
      events: ['project.updated'],
      audited: [
        {
          ...{ action: 'project.visibility_changed', subject_id: '{project}' },
          details: { from: 'workspace', to: 'private' },
        },
        { action: 'project.lead_changed', details: { from: null, to: '{member}' } },
      ],
    },
  ),
  by(
    'PATCH /internal/projects/{project}',
    { name: CANARY, description: CANARY },
    {
      events: ['project.updated'],
      audited: [],
    },
  ),
  by('PUT /internal/projects/{project}/people/{admin}', undefined, {
    status: 204,
    audited: [
      {
        ...{ action: 'project.person_added', subject_id: '{project}' },
        details: { user_id: '{admin}' },
      },
    ],
  }),
  by('PUT /internal/projects/{project}/people/{admin}', undefined, { status: 204, audited: [] }),
  by('DELETE /internal/projects/{project}/people/{admin}', undefined, {
    status: 204,
    audited: ['project.person_removed'],
  }),
])

scenario('what is done with tasks is told by events, and not by the audit log', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: CANARY },
    status: 201,
    events: ['task.created'],
    keep: { task: 'id' },
    audited: [],
  },
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'], audited: [] },
])

for (const engine of ENGINES) {
  test(`what a person allows an application, and its end, are in the audit log (${engine})`, async () => {
    const docket = await docketOn(engine)
    const { storage } = docket
    const home = await newHome(storage)
    const made = await newApp(docket, home)
    const { tokensFor, post } = client(docket, home, made)
    const ends = await endsOf(storage, home.workspace)
    const { refresh_token } = await tokensFor('member', { scope: 'tasks:read' })
    assert.equal((await post('/oauth/revoke', { token: refresh_token })).status, 200)
    const entries = await auditedSince(storage, ends, new Set())
    assert.deepEqual(
      entries.map(({ action, actor_id, details }) => [action, actor_id, JSON.parse(details)]),
      [
        [
          'grant.created',
          home.people.member,
          { user_id: home.people.member, application_id: made.id, scopes: ['tasks:read'] },
        ],
        ['grant.ended', null, {}],
      ],
    )
    assert.equal(entries[0]?.subject_id, entries[1]?.subject_id)
  })

  test(`what is taken back is not in the audit log, nor what is rehearsed (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace } = await newHome(storage)
    const actor = { ...NOBODY, workspace_id: workspace }
    const ends = await endsOf(storage, workspace)
    const says = (subject: string) =>
      storage.write(actor, async (tx) => tx.audit('grant.ended', subject, {}))
    // Together, so that they share a commit and those that fail are taken out of it.
    const all = await Promise.allSettled([
      says('grt_1'),
      storage.write(actor, async (tx) => {
        tx.audit('grant.ended', 'grt_refused', {})
        throw new Error('no')
      }),
      storage.write(actor, async (tx) => {
        tx.audit('grant.ended', 'grt_refused', {})
        throw notFound()
      }),
      storage.rehearse(actor, async (tx) => tx.audit('grant.ended', 'grt_rehearsed', {})),
      storage.write(actor, async (tx) => {
        const inner = tx.operation(async () => {
          tx.audit('grant.ended', 'grt_inner', {})
          throw new Error('no')
        })
        await inner.catch(() => {})
        tx.audit('grant.ended', 'grt_2', {})
      }),
      says('grt_3'),
    ])
    assert.deepEqual(
      all.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    const entries = await auditedSince(storage, ends, new Set())
    assert.deepEqual(
      entries.map(({ subject_id }) => subject_id),
      ['grt_1', 'grt_2', 'grt_3'],
    )
    assert.equal((await verifyChain(storage, workspace)).fault, null)
  })

  test(`nothing that people have written is in the audit log, and it is whole (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace } = await newHome(storage)
    await assertNothingWritten(storage)
    for (const chain of [INSTALLATION, workspace]) {
      assert.equal((await verifyChain(storage, chain)).fault, null, chain)
    }
  })
}
