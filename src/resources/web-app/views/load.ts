import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { viewById } from './store.ts'

/** The view, for its creator; a shared one also for the lead of its project, owners and admins. */
export async function loadViewToChange(tx: ReadTx, id: string) {
  const view = await tx.one(viewById, { id })
  if (!view) throw notFound()
  const { actor } = tx
  const canChange =
    [view.created_by_id, view.lead_id].includes(actor.user_id) ||
    may(actor, 'change_work_of_others')
  if (canChange) return view
  throw insufficientRole(
    `Only its creator, ${view.project_id === null ? '' : 'the project lead, '}owners and admins can change a shared view.`,
  )
}
