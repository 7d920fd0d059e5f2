import {
  changeSecondFactorPolicy,
  loadSecondFactorPolicy,
} from '#auth/second-factor/second-factor-policy.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { lacksSecondFactor, viewerId } from '#core/actor.ts'
import { conflict, insufficientRole, notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import type * as internal from './internal.ts'
import { activeWorkspacesOfUser } from './store.ts'

export const readSignInRule: Operation<typeof internal.getSignInRule> = (tx) =>
  loadSecondFactorPolicy(tx)

/** Only owners require a second factor, which then applies to themselves too. */
export async function assertCanChangeSignInRule({ actor }: ReadTx): Promise<undefined> {
  if (actor.role !== 'owner')
    throw insufficientRole('Only owners can require two-factor authentication.')
}

export const changeSignInRule: Operation<typeof internal.updateSignInRule> = async (
  tx,
  _,
  { body },
) => {
  if (body.second_factor === 'required' && !tx.actor.has_passed_second_factor) {
    const message =
      'Before you require two-factor authentication, set up your own or sign in with it.'
    throw conflict('second_factor_missing', message)
  }
  if (body.second_factor !== undefined) await changeSecondFactorPolicy(tx, body.second_factor)
  return loadSecondFactorPolicy(tx)
}

export const readSecondFactorStatus: Operation<typeof internal.getSecondFactorStatus> = async (
  tx,
) => {
  const workspace = await findWorkspace(tx)
  if (!workspace) throw notFound()
  const allWorkspaces = await tx.all(activeWorkspacesOfUser, { user_id: viewerId(tx.actor) })
  const workspaces = allWorkspaces.filter(({ id }) => id !== workspace.id)
  return { name: workspace.name, is_missing: lacksSecondFactor(tx.actor), workspaces }
}
