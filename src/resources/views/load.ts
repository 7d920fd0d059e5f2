import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { viewById } from './store.ts'

/** The view, for its maker; a shared one also for the lead of its project, owners and admins. */
export async function loadViewToChange(tx: ReadTx, id: string) {
  const view = await tx.one(viewById, { id })
  if (!view) throw notFound()
  const { actor } = tx
  const may = [view.created_by_id, view.lead_id].includes(actor.user_id) || manages(actor)
  if (may) return view
  throw insufficientRole(
    'A shared view is changed by who made it, the lead of its project, owners and admins.',
  )
}
