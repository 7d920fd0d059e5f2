import type { Actor } from '#core/actor.ts'
import { notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { loadMember } from '#resources/members/membership.ts'
import type { getMe, Me, Workspace } from './contract.ts'
import { workspaceAtHand } from './store.ts'

export const get: Operation<typeof getMe> = async (tx) => {
  const { json } = await loadMember(tx, tx.actor.user_id ?? '')
  return {
    user: fromJson(json),
    workspace: await loadWorkspace(tx),
    credential: credentialOf(tx.actor),
  }
}

/** The workspace of the transaction, as it is shown. */
export async function loadWorkspace(tx: ReadTx): Promise<Workspace> {
  const found = await tx.one(workspaceAtHand, {})
  if (!found) throw notFound()
  return { ...found, requests_per_minute: tx.settings.requestsPerMinute[found.plan] }
}

/** The system is an actor too, but never asks by HTTP. */
const KINDS = { user: 'session', api_key: 'api_key', app: 'oauth', system: 'session' } as const

const credentialOf = (actor: Actor): Me['credential'] => ({
  type: KINDS[actor.type],
  id: actor.credential_id ?? '',
  name: actor.credential_name,
  scopes: [...actor.scopes].toSorted(),
  expires_at: actor.expires_at,
})
