import { type Actor, viewerId } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { fromJson } from '#lib/json.ts'
import { loadMember } from '#resources/members/membership.ts'
import type { getMe, Me, Workspace } from './contract.ts'

export const get: Operation<typeof getMe> = async (tx) => {
  const { json } = await loadMember(tx, viewerId(tx.actor))
  return {
    user: fromJson(json),
    workspace: await loadWorkspaceRecord(tx),
    credential: toCredential(tx.actor),
  }
}

/** The record of the transaction's workspace. */
export async function loadWorkspaceRecord(tx: ReadTx): Promise<Workspace> {
  const workspace = await tx.one(currentWorkspace, {})
  if (!workspace) throw notFound()
  return { ...workspace, requests_per_minute: tx.settings.requestsPerMinute[workspace.plan] }
}

/** The system is an actor too, but it never sends HTTP requests. */
const CREDENTIAL_TYPES = {
  user: 'session',
  api_key: 'api_key',
  app: 'oauth',
  system: 'session',
} as const

const toCredential = (actor: Actor): Me['credential'] => ({
  type: CREDENTIAL_TYPES[actor.type],
  id: actor.credential_id ?? '',
  name: actor.credential_name,
  scopes: [...actor.scopes].toSorted(),
  expires_at: actor.expires_at,
})

/** The transaction's workspace, without the rate limit of its plan, which is a setting. */
const currentWorkspace = query((db) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at']),
)
