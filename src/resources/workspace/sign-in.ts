import { lacksSecondFactor } from '#core/actor.ts'
import { conflict, insufficientRole, notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { changeDemand, demandOf } from '#identity/demand.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import type * as internal from './internal.ts'
import { otherWorkspaces } from './store.ts'

export const rule: Operation<typeof internal.getSignInRule> = (tx) => demandOf(tx)

/** Owners alone say what is demanded of everybody, themselves included. */
export async function demander({ actor }: ReadTx): Promise<undefined> {
  if (actor.role !== 'owner') throw insufficientRole('Only owners demand a second factor.')
}

export const demand: Operation<typeof internal.updateSignInRule> = async (tx, _, { body }) => {
  if (body.second_factor === 'required' && !tx.actor.is_proven_twice) {
    const message = 'Set up a second factor of your own first, or sign in with it.'
    throw conflict('second_factor_missing', message)
  }
  if (body.second_factor !== undefined) await changeDemand(tx, body.second_factor)
  return demandOf(tx)
}

export const missing: Operation<typeof internal.getMissing> = async (tx) => {
  const workspace = await loadWorkspace(tx)
  if (!workspace) throw notFound()
  const all = await tx.all(otherWorkspaces, { user_id: tx.actor.user_id ?? '' })
  const workspaces = all.filter(({ id }) => id !== workspace.id)
  return { name: workspace.name, is_missing: lacksSecondFactor(tx.actor), workspaces }
}
