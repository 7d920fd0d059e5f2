import { notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { deleteGrant, listGrants } from './internal.ts'
import { grantOfViewer, grantsOfViewer, removeGrant } from './store.ts'

export const list: Operation<typeof listGrants> = async (tx, _, { page }) =>
  page.cut(await tx.all(grantsOfViewer(orderOf(page, null)), { ...windowOf(page), now: tx.now }))

/** A grant of one's own; others' are not there, not even for owners. */
export async function grantToEnd(tx: ReadTx, { params }: { params: { id: string } }) {
  const grant = await tx.one(grantOfViewer, { id: params.id, now: tx.now })
  if (!grant) throw notFound()
  return grant
}

type Subject = { id: string; user_id: string }

export const remove: Operation<typeof deleteGrant, Subject> = async (tx, { id, user_id }) => {
  await tx.run(removeGrant, { id })
  tx.audit('grant.ended', id, {})
  tx.note({ noun: 'grant', id, op: 'delete', only_for: user_id })
  await advanceGeneration(tx)
}
