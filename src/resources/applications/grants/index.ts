import { bumpAuthVersion } from '#auth/auth-version.ts'
import { changeSupervision } from '#auth/supervision.ts'
import { notFound } from '#core/api-error.ts'
import { allowAnyRole, type Operation, readRoute, writeRoute } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { deleteGrant, listGrants, updateGrant } from './internal.ts'
import { grantOfViewer, grantsOfViewer, removeGrant } from './store.ts'

const list: Operation<typeof listGrants> = async (tx, _, { page }) =>
  page.toPage(
    await tx.all(grantsOfViewer(toListOrder(page, null)), { ...toPageWindow(page), now: tx.now }),
  )

/** A grant of the actor; 404 for the grants of others, even for owners. */
async function loadGrant(tx: ReadTx, { params }: { params: { id: string } }) {
  const grant = await tx.one(grantOfViewer, { id: params.id, now: tx.now })
  if (!grant) throw notFound()
  return grant
}

type LoadedGrant = Awaited<ReturnType<typeof loadGrant>>

const update: Operation<typeof updateGrant, LoadedGrant> = async (tx, grant, { body }) => {
  const { id, user_id, json } = grant
  if (Object.keys(body).length === 0) return json
  await changeSupervision(tx, 'grants', id, body)
  await bumpAuthVersion(tx)
  tx.noteChange({ noun: 'grant', id, only_for: user_id })
  return (await loadGrant(tx, { params: { id } })).json
}

const remove: Operation<typeof deleteGrant, LoadedGrant> = async (tx, { id, user_id }) => {
  await tx.run(removeGrant, { id })
  tx.audit('grant.ended', id, {})
  tx.noteChange({ noun: 'grant', id, only_for: user_id })
  await bumpAuthVersion(tx)
}

export const grants = [
  readRoute(listGrants, allowAnyRole, list),
  writeRoute(updateGrant, loadGrant, update),
  writeRoute(deleteGrant, loadGrant, remove),
]
