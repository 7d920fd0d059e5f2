import { notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { usedSince } from '#identity/sessions.ts'
import { fromJson, toJson } from '#lib/json.ts'
import { loadWorkspace } from '#resources/me/operations.ts'
import { loadMember } from '#resources/members/membership.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { SIGN_IN_MEANS } from '#wire/audit.ts'
import type { Device, endSession, getSession, listSessions, Session } from './contract.ts'
import { devicesWhere, placeOfSession, removeSession, sessionById, workspacesOf } from './store.ts'

export const get: Operation<typeof getSession> = async (tx) =>
  shownSession(tx, personOf(tx), tx.actor.credential_id ?? '')

/** A session of a person, as it is shown; the transaction is of the workspace in which it stands. */
export async function shownSession(tx: ReadTx, user_id: string, id: string): Promise<Session> {
  const session = await tx.one(sessionById, { id, user_id })
  if (!session) throw notFound()
  const { json } = await loadMember(tx, user_id)
  const workspace = await loadWorkspace(tx)
  const workspaces = await tx.all(workspacesOf, { user_id })
  return { ...session, user: fromJson(json), workspace, workspaces }
}

export const list: Operation<typeof listSessions> = async (tx, _, { page }) => {
  const rows = await tx.all(devicesWhere(orderOf(page, null)), {
    ...windowOf(page),
    user_id: personOf(tx),
    now: tx.now,
    used_since: usedSince(tx.instant),
  })
  return page.cut(
    rows.map(({ id, workspace_id, workspace_name, two_factors, ...session }) => {
      const workspace = { id: workspace_id, name: workspace_name }
      const how = { signed_in_by: meansOf(session.signed_in_by), two_factors: two_factors === 1 }
      const current = id === tx.actor.credential_id
      return { id, json: toJson<Device>({ id, current, workspace, ...session, ...how }) }
    }),
  )
}

export const end: Operation<typeof endSession> = async (tx, _, { params }) => {
  // Only one's own can be ended: another's is as unknown as one that is no more.
  const session = { id: params.id, user_id: personOf(tx) }
  const place = await tx.one(placeOfSession, session)
  if (!place) throw notFound()
  if ((await tx.run(removeSession, session)) === 0) throw notFound()
  const { id, user_id } = session
  tx.audit('session.ended', id, { user_id, reason: 'ended' }, place.stands_in)
  await advanceGeneration(tx)
}

/** How somebody signed in, as it was kept. */
export const meansOf = (text: string | null) => SIGN_IN_MEANS.find((one) => one === text) ?? null

const personOf = ({ actor }: ReadTx): string => actor.user_id ?? ''
