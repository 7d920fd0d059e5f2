import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { removeGrantById } from '../oauth/grants.ts'
import { removeAllPasskeys } from '../passkeys/passkeys.ts'
import { isSecondFactorRequiredOfUser } from '../second-factor/second-factor-policy.ts'
import { removeSsoLinks } from '../sso-links/sso-links.ts'

/** How many API keys and grants a user has in all workspaces. */
export async function countUserAccess(
  tx: ReadTx,
  user_id: string,
): Promise<{ api_keys: number; grants: number }> {
  const keys = await tx.all(apiKeysOfUser, { user_id })
  const grants = await tx.all(grantsOfUser, { user_id })
  return { api_keys: keys.length, grants: grants.length }
}

/**
 * Ends whatever can act for a user or sign in beside the password, in all workspaces: API keys,
 * grants, passkeys and the SSO link. Passkeys stay if a workspace requires a second factor that the
 * session has not shown: otherwise a mailbox alone would suffice to replace them.
 */
export async function revokeUserAccess(
  tx: WriteTx,
  user_id: string,
  { hasShownSecondFactor }: { hasShownSecondFactor: boolean },
): Promise<void> {
  for (const { id, workspace_id } of await tx.all(apiKeysOfUser, { user_id })) {
    await tx.run(removeApiKeyById, { id })
    tx.audit('api_key.revoked', id, { user_id }, workspace_id)
  }
  for (const { id, workspace_id } of await tx.all(grantsOfUser, { user_id })) {
    await tx.run(removeGrantById, { id })
    tx.audit('grant.ended', id, {}, workspace_id)
  }
  if (hasShownSecondFactor || !(await isSecondFactorRequiredOfUser(tx, user_id)))
    await removeAllPasskeys(tx, user_id)
  await removeSsoLinks(tx, user_id)
  await bumpAuthVersion(tx)
}

/** By the memberships, because keys and grants have no index by user alone. */
const apiKeysOfUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('api_keys', (join) =>
      join
        .onRef('api_keys.workspace_id', '=', 'memberships.workspace_id')
        .onRef('api_keys.user_id', '=', 'memberships.user_id'),
    )
    .select(['api_keys.id', 'api_keys.workspace_id'])
    .where('memberships.user_id', '=', $.user_id),
)

const grantsOfUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('grants', (join) =>
      join
        .onRef('grants.workspace_id', '=', 'memberships.workspace_id')
        .onRef('grants.user_id', '=', 'memberships.user_id'),
    )
    .select(['grants.id', 'grants.workspace_id'])
    .where('memberships.user_id', '=', $.user_id),
)

const removeApiKeyById = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('api_keys').where('id', '=', $.id),
)
