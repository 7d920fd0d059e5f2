import { ApiError } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '#db/core/statement.ts'
import { bumpAuthVersion } from '../auth-version.ts'

/** Whether a workspace requires its members to sign in with a second factor. */
export type SecondFactorPolicy = 'optional' | 'required'

/**
 * Loads the policy of the transaction's workspace, and how many of its members have no second
 * factor.
 */
export async function loadSecondFactorPolicy(
  tx: ReadTx,
): Promise<{ second_factor: SecondFactorPolicy; without: number }> {
  const second_factor = toPolicy((await tx.one(policyOfTxWorkspace, {}))?.requires)
  return { second_factor, without: (await tx.one(memberCountWithoutSecondFactor, {}))?.count ?? 0 }
}

/**
 * Requires a second factor of all members or of nobody. Setting the present policy again changes
 * nothing.
 */
export async function changeSecondFactorPolicy(
  tx: WriteTx,
  policy: SecondFactorPolicy,
): Promise<void> {
  const workspace = await tx.one(policyOfTxWorkspace, {})
  const from = toPolicy(workspace?.requires)
  if (!workspace || from === policy) return
  const updated_at = nextUpdatedAt(tx, workspace.updated_at)
  const requires_second_factor = policy === 'required' ? 1 : 0
  await tx.run(updatePolicy, { requires_second_factor, updated_at })
  const second_factor = { from, to: policy }
  tx.audit('workspace.updated', tx.actor.workspace_id, {
    changed: ['second_factor'],
    second_factor,
  })
  await bumpAuthVersion(tx)
}

/** Whether a workspace requires a second factor. */
export const isSecondFactorRequired = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.one(policyOfWorkspace, { id }))?.requires === 1

/** Whether any workspace of a user requires a second factor. */
export const isSecondFactorRequiredOfUser = async (tx: ReadTx, user_id: string): Promise<boolean> =>
  (await tx.one(requiringWorkspaceOfUser, { user_id })) !== undefined

/** The error for a session with one factor in a workspace that requires two. */
export const secondFactorMissing = () =>
  new ApiError(
    403,
    'second_factor_missing',
    'This workspace requires two-factor authentication. Set it up, or sign in again with it.',
  )

const toPolicy = (requires: number | undefined): SecondFactorPolicy =>
  requires === 1 ? 'required' : 'optional'

const policyOfTxWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['requires_second_factor as requires', 'updated_at'])
    .where('id', '=', $.workspace_id),
)

const policyOfWorkspace = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('workspaces').select('requires_second_factor as requires').where('id', '=', $.id),
)

const requiringWorkspaceOfUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select('workspaces.id')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.requires_second_factor', '=', 1)
    .limit(1),
)

const updatePolicy = command(
  (db, $: Scoped<{ requires_second_factor: number; updated_at: string }>) =>
    db
      .updateTable('workspaces')
      .set(pickSlots($, 'requires_second_factor', 'updated_at'))
      .where('id', '=', $.workspace_id),
)

/**
 * Members with an SSO link need no second factor here: the company's provider is responsible for
 * that.
 */
const memberCountWithoutSecondFactor = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('second_factors')
            .select('second_factors.user_id')
            .whereRef('second_factors.user_id', '=', 'memberships.user_id')
            .where('enabled_at', 'is not', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.user_id', '=', 'memberships.user_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('company_links')
            .select('company_links.user_id')
            .whereRef('company_links.user_id', '=', 'memberships.user_id'),
        ),
      ),
    ),
)
