import { sql } from 'kysely'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { memoizeByShape, rawStatement, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { removeGrantById } from '../oauth/grants.ts'
import { removeAllPasskeys } from '../passkeys/passkeys.ts'
import { isSecondFactorRequiredOfUser, removeTotp } from '../second-factor/second-factor.ts'
import { removeSsoLinks } from '../sso-links/sso-links.ts'
import { markEmailVerified } from './accounts.ts'
import { notifyOfSecurityChange } from './email-confirmation.ts'

/** How many API keys and grants a user has in all workspaces. */
export async function countUserAccess(
  tx: ReadTx,
  user_id: string,
): Promise<{ api_keys: number; grants: number }> {
  const keys = await tx.all(recordsOfUser('api_keys'), { user_id })
  const grants = await tx.all(recordsOfUser('grants'), { user_id })
  return { api_keys: keys.length, grants: grants.length }
}

/**
 * Ends whatever can act for a user or sign in beside the password, in all workspaces: API keys,
 * grants, passkeys, the SSO link and the invitations that the user has sent. Passkeys stay if a
 * workspace requires a second factor that the session has not shown: otherwise a mailbox alone would
 * suffice to replace them.
 */
export async function revokeUserAccess(
  tx: WriteTx,
  user_id: string,
  { hasShownSecondFactor }: { hasShownSecondFactor: boolean },
): Promise<void> {
  if (hasShownSecondFactor || !(await isSecondFactorRequiredOfUser(tx, user_id)))
    await removeAllPasskeys(tx, user_id)
  await endActingAccess(tx, user_id)
}

/**
 * Records the first proof that a user controls the mailbox of the account. Somebody who knew only the
 * address may have created the account before, so everything that they set up ends; the caller ends
 * the password and the sessions. The second factor and passkeys stay if the policy of a workspace with
 * other members demands one: otherwise a mailbox alone would suffice to replace it. The policy of a
 * workspace with nobody else would only lock its owner out.
 */
export async function proveMailbox(tx: WriteTx, user_id: string): Promise<void> {
  if ((await tx.one(sharedRequiringWorkspace, { user_id })) === undefined) {
    if (await removeTotp(tx, user_id))
      tx.audit('second_factor.disabled', user_id, {}, INSTALLATION_AUDIT_LOG)
    await removeAllPasskeys(tx, user_id)
  }
  await endActingAccess(tx, user_id)
  for (const { id, workspace_id } of await tx.all(recordsOfUser('webhooks'), { user_id })) {
    await tx.run(removeWebhookOf, { in_workspace: workspace_id, id })
    await tx.run(insertRemovedWebhookOf, { in_workspace: workspace_id, webhook_id: id })
    tx.audit('webhook.deleted', id, {}, workspace_id)
  }
  await markEmailVerified(tx, user_id)
  await notifyOfSecurityChange(tx, user_id, 'mailbox_proved')
}

/** Ends what acts or lets in without any sign-in method of the user. */
async function endActingAccess(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id, workspace_id } of await tx.all(recordsOfUser('api_keys'), { user_id })) {
    await tx.run(removeApiKeyById, { id })
    tx.audit('api_key.revoked', id, { user_id }, workspace_id)
  }
  for (const { id, workspace_id } of await tx.all(recordsOfUser('grants'), { user_id })) {
    await tx.run(removeGrantById, { id })
    tx.audit('grant.ended', id, {}, workspace_id)
  }
  for (const { id, workspace_id } of await tx.all(recordsOfUser('invitations'), { user_id })) {
    await tx.run(removeInvitationById, { id })
    tx.audit('invitation.deleted', id, {}, workspace_id)
  }
  await removeSsoLinks(tx, user_id)
  await bumpAuthVersion(tx)
}

const OWNER_COLUMNS = {
  api_keys: 'user_id',
  grants: 'user_id',
  invitations: 'invited_by_id',
  webhooks: 'created_by_id',
} as const

/** The records of a user in all workspaces: by the memberships, because these tables have no index by user alone. */
const recordsOfUser = memoizeByShape((table: keyof typeof OWNER_COLUMNS) =>
  unscopedQuery((db, $: { user_id: string }) =>
    rawStatement<{ id: string; workspace_id: string }>(
      db,
      sql`select owned.id, owned.workspace_id from memberships
        join ${sql.table(table)} as owned on owned.workspace_id = memberships.workspace_id
          and ${sql.ref(`owned.${OWNER_COLUMNS[table]}`)} = memberships.user_id
        where memberships.user_id = ${$.user_id}`,
    ),
  ),
)

const removeWebhookOf = unscopedCommand((db, $: { in_workspace: string; id: string }) =>
  db.deleteFrom('webhooks').where('workspace_id', '=', $.in_workspace).where('id', '=', $.id),
)

/** Its log is removed later, in batches. */
const insertRemovedWebhookOf = unscopedCommand(
  (db, $: { in_workspace: string; webhook_id: string }) =>
    db
      .insertInto('removed_webhooks')
      .values({ workspace_id: $.in_workspace, webhook_id: $.webhook_id }),
)

const removeInvitationById = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('invitations').where('id', '=', $.id),
)

/** A workspace of a user that requires a second factor and has other members. */
const sharedRequiringWorkspace = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('memberships as others', (join) =>
      join
        .onRef('others.workspace_id', '=', 'memberships.workspace_id')
        .onRef('others.user_id', '<>', 'memberships.user_id'),
    )
    .select('workspaces.id')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('others.removed_at', 'is', null)
    .where('workspaces.requires_second_factor', '=', 1)
    .limit(1),
)

const removeApiKeyById = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('api_keys').where('id', '=', $.id),
)
