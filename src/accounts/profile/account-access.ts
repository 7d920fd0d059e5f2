import { sql } from 'kysely'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { revokeApiKey } from '#auth/keys/api-keys.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { computeIdleCutoff } from '#auth/sessions/sessions.ts'
import { createUserActor } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { pushDevicesOfUser, removePushDevice } from '#db/notifications/push-devices.ts'
import { removeGrant } from '#resources/applications/grants/store.ts'
import { noteInvitation } from '#resources/invitations/operations.ts'
import { removeInvitation } from '#resources/invitations/store.ts'
import { removeWebhookAndLog } from '#resources/webhooks/operations.ts'
import { rolesWith } from '#wire/rights.ts'
import * as contract from '../internal.ts'

/** The most records of one kind in the list. */
const MAX_OF_KIND = 200

/**
 * What the person has set up in all their workspaces and what goes on without their sessions, newest
 * first. Of webhooks and invitations only those that they may still end: in workspaces that they manage.
 */
export const listAccountAccessAction = sessionAction(
  contract.listAccountAccess,
  async ({ storage }, { actor }) => ({
    reply: { data: await storage.read(actor, (tx) => loadAccess(tx, actor.user_id)) },
  }),
)

/** Ends one record of that list, in whatever workspace it is. */
export const endAccountAccessAction = sessionAction(
  contract.endAccountAccess,
  async ({ storage }, { actor, params: { id } }) => {
    const { user_id, name } = actor
    const find = async (tx: ReadTx) => {
      const record = (await loadAccess(tx, user_id)).find((one) => one.id === id)
      if (!record) throw notFound()
      return record
    }
    const { workspace } = await storage.read(actor, find)
    const there = { ...createUserActor(user_id, workspace.id), name }
    const operation_id = await storage.write(there, async (tx) => {
      await assertSessionActive(tx, actor)
      // The person may have been removed from the workspace meanwhile, or lowered.
      await END[(await find(tx)).kind](tx, id, user_id)
      await bumpAuthVersion(tx)
      return tx.operation_id
    })
    return { reply: undefined, operation_id }
  },
)

type AccessKind = 'api_key' | 'application' | 'webhook' | 'invitation' | 'push_device'

const END: Record<AccessKind, (tx: WriteTx, id: string, user_id: string) => Promise<void>> = {
  async api_key(tx, id, user_id) {
    await revokeApiKey(tx, id)
    tx.noteChange({ noun: 'api_key', id, only_for: user_id })
  },
  async application(tx, id, user_id) {
    await tx.run(removeGrant, { id })
    tx.audit('grant.ended', id, {})
    tx.noteChange({ noun: 'grant', id, only_for: user_id })
  },
  webhook: removeWebhookAndLog,
  async invitation(tx, id) {
    await tx.run(removeInvitation, { id })
    noteInvitation(tx, id)
    tx.audit('invitation.deleted', id, {})
  },
  async push_device(tx, id) {
    await tx.run(removePushDevice, { device_id: id })
  },
}

async function loadAccess(tx: ReadTx, user_id: string) {
  const of = { user_id, limit: MAX_OF_KIND }
  const rows = {
    api_key: await tx.all(keysOfUser, of),
    application: await tx.all(grantsOfUser, of),
    webhook: await tx.all(webhooksOfUser, of),
    invitation: await tx.all(invitationsOfUser, of),
    push_device: await tx.all(pushDevicesOfUser, {
      ...of,
      now: tx.now,
      used_since: computeIdleCutoff(tx.nowMs),
    }),
  }
  const records = (Object.keys(rows) as AccessKind[]).flatMap((kind) =>
    rows[kind].map(({ id, name, created_at, last_used_at, in_workspace, workspace_name }) => ({
      id,
      kind,
      name,
      created_at,
      last_used_at,
      workspace: { id: in_workspace, name: workspace_name },
    })),
  )
  return records.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
}

type UserAccess = { user_id: string; limit: number }
const workspaceColumns = [
  'workspaces.id as in_workspace',
  'workspaces.name as workspace_name',
] as const

/** What nobody uses to get in. */
const NEVER_USED = sql<string | null>`null`.as('last_used_at')

const keysOfUser = unscopedQuery((db, $: UserAccess) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('api_keys', (join) =>
      join
        .onRef('api_keys.workspace_id', '=', 'memberships.workspace_id')
        .onRef('api_keys.user_id', '=', 'memberships.user_id'),
    )
    .select(['api_keys.id', 'api_keys.name', 'api_keys.created_at', 'api_keys.last_used_at'])
    .select(workspaceColumns)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .orderBy('api_keys.created_at', 'desc')
    .limit($.limit),
)

const grantsOfUser = unscopedQuery((db, $: UserAccess) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('grants', (join) =>
      join
        .onRef('grants.workspace_id', '=', 'memberships.workspace_id')
        .onRef('grants.user_id', '=', 'memberships.user_id'),
    )
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .select(['grants.id', 'applications.name', 'grants.created_at', 'grants.last_used_at'])
    .select(workspaceColumns)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .orderBy('grants.created_at', 'desc')
    .limit($.limit),
)

const webhooksOfUser = unscopedQuery((db, $: UserAccess) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('webhooks', (join) =>
      join
        .onRef('webhooks.workspace_id', '=', 'memberships.workspace_id')
        .onRef('webhooks.created_by_id', '=', 'memberships.user_id'),
    )
    .select(['webhooks.id', 'webhooks.url as name', 'webhooks.created_at', NEVER_USED])
    .select(workspaceColumns)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('memberships.role', 'in', rolesWith('manage_workspace'))
    .orderBy('webhooks.created_at', 'desc')
    .limit($.limit),
)

const invitationsOfUser = unscopedQuery((db, $: UserAccess) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('invitations', (join) =>
      join
        .onRef('invitations.workspace_id', '=', 'memberships.workspace_id')
        .onRef('invitations.invited_by_id', '=', 'memberships.user_id'),
    )
    .select([
      'invitations.id',
      'invitations.email as name',
      'invitations.created_at',
      NEVER_USED,
      ...workspaceColumns,
    ])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('memberships.role', 'in', rolesWith('manage_workspace'))
    .orderBy('invitations.created_at', 'desc')
    .limit($.limit),
)
