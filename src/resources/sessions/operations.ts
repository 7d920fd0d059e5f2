import { bumpAuthVersion } from '#auth/auth-version.ts'
import { computeIdleCutoff, sessionById } from '#auth/sessions/sessions.ts'
import { viewerId } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { fromJson, toJson } from '#lib/json.ts'
import { loadWorkspaceRecord } from '#resources/me/operations.ts'
import { loadMember } from '#resources/members/membership.ts'
import { SIGN_IN_METHODS } from '#wire/audit-actions.ts'
import type { Device, endSession, getSession, listSessions, Session } from './contract.ts'
import {
  removeSession,
  selectSessions,
  settingsOfUser,
  workspaceOfSession,
  workspacesOfUser,
} from './store.ts'

export const get: Operation<typeof getSession> = async (tx) =>
  loadSessionRecord(tx, viewerId(tx.actor), tx.actor.credential_id ?? '')

/** The record of a session. The transaction must belong to the workspace of the session. */
export async function loadSessionRecord(tx: ReadTx, user_id: string, id: string): Promise<Session> {
  const session = await tx.one(sessionById, { id, user_id })
  if (!session) throw notFound()
  const { json } = await loadMember(tx, user_id)
  const settings = await tx.one(settingsOfUser, { user_id })
  if (!settings) throw notFound()
  const workspace = await loadWorkspaceRecord(tx)
  const workspaces = await tx.all(workspacesOfUser, { user_id })
  const { created_at, expires_at } = session
  return { id, created_at, expires_at, user: fromJson(json), ...settings, workspace, workspaces }
}

export const list: Operation<typeof listSessions> = async (tx, _, { page }) => {
  const rows = await tx.all(selectSessions(toListOrder(page, null)), {
    ...toPageWindow(page),
    user_id: viewerId(tx.actor),
    now: tx.now,
    used_since: computeIdleCutoff(tx.nowMs),
  })
  return page.toPage(
    rows.map(({ id, workspace_id, workspace_name, two_factors, ...session }) => {
      const workspace = { id: workspace_id, name: workspace_name }
      const signIn = {
        signed_in_by: parseSignInMethod(session.signed_in_by),
        two_factors: two_factors === 1,
      }
      const current = id === tx.actor.credential_id
      return { id, json: toJson<Device>({ id, current, workspace, ...session, ...signIn }) }
    }),
  )
}

export const end: Operation<typeof endSession> = async (tx, _, { params }) => {
  // 404 for sessions of others, as for sessions that do not exist.
  const session = { id: params.id, user_id: viewerId(tx.actor) }
  const location = await tx.one(workspaceOfSession, session)
  if (!location) throw notFound()
  if ((await tx.run(removeSession, session)) === 0) throw notFound()
  const { id, user_id } = session
  tx.audit('session.ended', id, { user_id, reason: 'ended' }, location.stands_in)
  await bumpAuthVersion(tx)
}

/** The stored sign-in method, or null for an unknown one. */
export const parseSignInMethod = (text: string | null) =>
  SIGN_IN_METHODS.find((one) => one === text) ?? null
