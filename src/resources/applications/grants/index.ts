import { bumpAuthVersion } from '#auth/auth-version.ts'
import { notFound } from '#core/api-error.ts'
import { allowAnyRole, type Operation, readRoute, writeRoute } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { deleteGrant, listGrants } from './internal.ts'
import { grantOfViewer, grantsOfViewer, removeGrant } from './store.ts'

const list: Operation<typeof listGrants> = async (tx, _, { page }) =>
  page.toPage(
    await tx.all(grantsOfViewer(toListOrder(page, null)), { ...toPageWindow(page), now: tx.now }),
  )

/** A grant of the actor; 404 for the grants of others, even for owners. */
async function loadGrantToRevoke(tx: ReadTx, { params }: { params: { id: string } }) {
  const grant = await tx.one(grantOfViewer, { id: params.id, now: tx.now })
  if (!grant) throw notFound()
  return grant
}

type LoadedGrant = { id: string; user_id: string }

const remove: Operation<typeof deleteGrant, LoadedGrant> = async (tx, { id, user_id }) => {
  await tx.run(removeGrant, { id })
  tx.audit('grant.ended', id, {})
  tx.noteChange({ noun: 'grant', id, only_for: user_id })
  await bumpAuthVersion(tx)
}

export const grants = [
  readRoute(listGrants, allowAnyRole, list),
  writeRoute(deleteGrant, loadGrantToRevoke, remove),
]
